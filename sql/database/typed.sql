-- A column in its type.
--
-- column  the column
-- type    the type
cast({column} as {type})
