-- The queue with all that a statement about each node needs.
--
-- queue  the nodes to check
-- nodes  C of this iteration
--
-- One row per node; a root has no node beneath, hence no levels of it.
select
    queue.node,
    queue.dimensions,
    queue.levels,
    queue.beneath,
    beneath.levels as levels_beneath,
    queue.groups
from {queue} as queue
left join {nodes} as beneath
    on beneath.id = queue.beneath
order by queue.node
