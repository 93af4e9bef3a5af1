-- A quasi-identifier finds its member in its dimension table; the missing value finds its own. Missing values within
-- arrays are equal, and unlike is not distinct from, arrays can be hashed.
--
-- table   the dimension table, of leaves that the source has
-- column  the quasi-identifier
join {table}
    on array[{table}.value] = array[source.{column}]
