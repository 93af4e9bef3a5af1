-- A column definition of a CREATE TABLE.
--
-- column  the column's name
-- type    the column's type
{column} {type}
