-- The path of a value's ancestor at a level. Above the leaves the first digit that does not matter is one that no child
-- has.
--
-- path   the path
-- sizes  the weights of the digits that matter, by level
-- marks  what marks a value of each level
-- level  the level
cast({path} // ([{sizes}])[{level} + 1] * ([{sizes}])[{level} + 1] + ([{marks}])[{level} + 1] as bigint)
