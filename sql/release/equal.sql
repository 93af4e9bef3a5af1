-- A value is that of a member. There are no missing values.
--
-- table   the dimension table
-- column  the quasi-identifier
{table}.value = source.{column}
