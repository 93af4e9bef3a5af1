-- A column as text.
--
-- column  the column
cast({column} as varchar)
