-- A value is that of a member; the missing value is that of its own.
--
-- table   the dimension table
-- column  the quasi-identifier
{table}.value is source.{column}
