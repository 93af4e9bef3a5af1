-- A value of a sensitive attribute, and the node of its hierarchy that it is beneath at a level.
--
-- leaf    the value
-- level   the level
-- node    the node
-- parent  that of the level above
select {leaf} as leaf, {level} as level, {node} as node, {parent} as parent
