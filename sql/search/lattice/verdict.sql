-- The verdict on nodes of the queue: `anonymous` is true if at most $allowed rows are outliers.
--
-- $iteration     the number of attributes
-- $allowed       how many outliers may be suppressed
-- frequency_set  the number under which a node's frequency set is kept: #of_root or #rolled_up
-- queue          the nodes to check
-- shortfall      star/frequency/shortfall of frequency sets
--
-- One row per node with one of these frequency sets. Nodes with equal groups have the same one.
select
    cast($iteration as utinyint) as iteration,
    queue.node,
    queue.height,
    queue.grouping,
    {frequency_set} as frequency_set,
    queue.beneath is null as root,
    shortfall.groups,
    shortfall.classes,
    shortfall.outliers,
    shortfall.outliers <= $allowed as anonymous
from {queue} as queue
join (
    {shortfall}
) as shortfall
    on shortfall.node = queue.grouping

-- section: of_root
-- The number of a root's frequency set: a node above another root may have equal groups, and both may be kept.
-1 - queue.grouping

-- section: rolled_up
-- The number of a frequency set that was rolled up at one height.
queue.grouping

-- section: kept
-- The frequency sets of roots from which nodes above are rolled up: of those that are not k-anonymous.
--
-- $iteration  the number of attributes
-- sets        frequency sets of roots
-- columns     their columns but for node
-- checked     the verdicts
--
-- One row per node and value group.
select
    -1 - node as node,
    {columns}
from {sets}
where node in (
    select grouping
    from {checked}
    where iteration = $iteration
        and root
        and not anonymous
)

-- section: both
-- The frequency sets of roots and those of one height.
--
-- below  those of the height
-- roots  those of roots
--
-- One row per node and value group.
select *
from {below}
union all
select *
from {roots}

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
