-- The number of a value's ancestor at a level that depends on the row.
--
-- level   the level's column
-- leaves  the leaves of the tree
-- values  the ancestors at the levels, the leaves first; that at the root is 0
cast({level} * {leaves} + ([{values}])[{level} + 1] as bigint)
