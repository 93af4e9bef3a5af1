-- The nodes where scoring begins: the minimal ones, or all.
--
-- $ids   their numbers, or none where it begins with all
-- nodes  the k-anonymous nodes
--
-- One row per node.
select
    id,
    levels
from {nodes}
where coalesce(list_contains(cast($ids as bigint[]), id), true)
