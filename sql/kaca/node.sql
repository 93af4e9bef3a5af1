-- A value's number in its value tree.
--
-- level   its level, 0 for the leaves
-- leaves  the leaves of the tree
-- code    its code, that of its first leaf
cast({level} * {leaves} + {code} as bigint)
