-- The first of the types that a column's values have.
--
-- column  the column
min(case when {column} is not null then typeof({column}) end)
