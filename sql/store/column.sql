-- A column of a table to be made.
--
-- column  the column's name
-- type    the column's type
{column} {type}
