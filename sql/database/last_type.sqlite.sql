-- The last of the types that a column's values have.
--
-- column  the column
max(case when {column} is not null then typeof({column}) end)
