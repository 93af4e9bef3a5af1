-- The queue, as Python reads it to make the statements of each batch.
--
-- queue  the nodes to check
--
-- One row per node.
select
    batch,
    node,
    dimensions,
    levels,
    beneath is null as root
from {queue}
order by
    batch,
    node
