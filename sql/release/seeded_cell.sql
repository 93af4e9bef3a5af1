-- A cell as release/seed_cell reads it; a missing one stays missing.
--
-- column  the column
'=' || cast({column} as varchar) as {column}
