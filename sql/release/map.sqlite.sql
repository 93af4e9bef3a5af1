-- A quasi-identifier finds its member in its dimension table; the missing value finds its own.
--
-- table   the dimension table, of leaves that the source has
-- column  the quasi-identifier
join {table}
    on {table}.value is source.{column}
