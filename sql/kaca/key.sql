-- A value's ancestor at a level, or the value itself where it is above.
--
-- value   the ancestor's column
-- level   the level
-- leaves  the leaves of the tree
-- node    the value's column
coalesce({level} * {leaves} + {value}, {node})
