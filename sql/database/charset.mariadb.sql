-- The character set of a column.
--
-- column  the column
charset(max({column}))
