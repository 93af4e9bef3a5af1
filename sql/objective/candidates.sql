-- The minimal nodes, where scoring begins.
--
-- $ids   their numbers
-- nodes  the k-anonymous nodes
--
-- One row per node.
select
    id,
    dimensions,
    levels
from {nodes}
where list_contains(cast($ids as integer[]), id)
