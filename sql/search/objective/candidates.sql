-- The minimal nodes, where scoring begins.
--
-- $ids   their numbers
-- nodes  the k-anonymous nodes
--
-- One row per node.
select
    id,
    levels
from {nodes}
where list_contains(cast($ids as bigint[]), id)
