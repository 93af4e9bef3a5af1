-- A cell as a recipient reads it.
--
-- column  the column
cast({column} as varchar)
