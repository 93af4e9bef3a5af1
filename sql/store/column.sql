-- A column of a table to be made.
--
-- column  its name
-- type    its type
{column} {type}
