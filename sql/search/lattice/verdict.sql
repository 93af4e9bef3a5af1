-- The verdict on each node of a batch of lattice nodes: `anonymous` is true if at most $allowed rows are outliers.
--
-- $iteration  the number of attributes
-- $allowed    how many outliers may be suppressed
-- queue       the nodes to check
-- shortfall   star/frequency/shortfall of a batch of them
--
-- One row per node of the batch.
select
    cast($iteration as utinyint) as iteration,
    queue.node,
    queue.beneath is null as root,
    shortfall.groups,
    shortfall.classes,
    shortfall.outliers,
    shortfall.outliers <= $allowed as anonymous
from {queue} as queue
join (
    {shortfall}
) as shortfall
    on shortfall.node = queue.node

-- section: batch
-- Nodes of a batch that satisfy the requirement.
--
-- $allowed   how many outliers may be suppressed
-- shortfall  star/frequency/shortfall of the batch
--
-- One row per node.
select
    node,
    outliers <= $allowed as anonymous
from (
    {shortfall}
)
