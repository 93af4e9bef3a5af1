-- The nodes of a hierarchy that values of a sensitive attribute are beneath.
--
-- $leaves   the values
-- $levels   the level
-- $nodes    the node of the level, by a number
-- $parents  that of the level above
--
-- One row per value and level.
select
    unnest(cast($leaves as varchar[])) as leaf,
    unnest(cast($levels as bigint[])) as level,
    unnest(cast($nodes as bigint[])) as node,
    unnest(cast($parents as bigint[])) as parent
