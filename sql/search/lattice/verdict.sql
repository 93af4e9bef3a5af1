-- The verdict on nodes of the queue: `anonymous` is true if at most $allowed rows are outliers.
--
-- $iteration     the number of attributes
-- $allowed       the number of outliers that may be suppressed
-- frequency_set  the number that identifies a node's stored frequency set: #of_root or #rolled_up
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
-- The number of a root's frequency set. It is negative: a node above another root may have equal groups, and both
-- frequency sets may be stored.
-1 - queue.grouping

-- section: rolled_up
-- The number of a frequency set that was rolled up at one height.
queue.grouping

-- section: kept
-- The frequency sets of roots that are not k-anonymous: nodes above are rolled up from these.
--
-- $iteration  the number of attributes
-- sets        frequency sets of roots
-- columns     the columns of the frequency sets except node
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
-- The stored frequency sets of roots, and of all nodes of one height.
--
-- below  the frequency sets of the height
-- roots  the frequency sets of roots
--
-- One row per node and value group.
select *
from {below}
union all
select *
from {roots}

-- section: batch
-- The verdict on the nodes of a batch: anonymous is true if at most $allowed rows are outliers.
--
-- $allowed   the number of outliers that may be suppressed
-- shortfall  star/frequency/shortfall of the batch
--
-- One row per node.
select
    node,
    outliers <= $allowed as anonymous
from (
    {shortfall}
)
