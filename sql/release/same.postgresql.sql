-- A value is that of a member; the missing value is that of its own. Missing values within arrays are equal, and unlike
-- is not distinct from, arrays can be hashed.
--
-- table   the dimension table
-- column  the quasi-identifier
array[{table}.value] = array[source.{column}]
