-- The verdict on frequency sets: `anonymous` is true if at most $allowed rows are outliers.
--
-- $allowed   the number of outliers that may be suppressed
-- shortfall  star/frequency/shortfall of frequency sets
--
-- One row per frequency set. grouping is its number: nodes with equal value groups have the same one.
select
    node as grouping,
    groups,
    classes,
    outliers,
    outliers <= $allowed as anonymous
from (
    {shortfall}
)

-- section: empty
-- The verdicts before any frequency set is counted.
--
-- No row; the columns of search/lattice/verdict.
select
    cast(null as bigint) as grouping,
    cast(null as bigint) as groups,
    cast(null as bigint) as classes,
    cast(null as bigint) as outliers,
    cast(null as boolean) as anonymous
where false

-- section: kept
-- The frequency sets of roots that are not k-anonymous: nodes above are rolled up from these.
--
-- sets      frequency sets of roots
-- verdicts  search/lattice/verdict: the verdicts so far
--
-- One row per node and value group.
select *
from {sets}
where node in (
    select grouping
    from {verdicts}
    where not anonymous
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
