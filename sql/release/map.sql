-- A quasi-identifier finds its member in its dimension table; the missing value finds its own.
--
-- table   the dimension table
-- column  the quasi-identifier
join (select * from {table} where present) as {table}
    on {table}.value is not distinct from source.{column}
