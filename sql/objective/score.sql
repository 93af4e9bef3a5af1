-- What every objective needs to know of a node.
--
-- $k         the smallest allowed value group
-- frequency  frequency sets: node, …, frequency
--
-- One row per node. squares is the sum of squared counts of all value groups; released_squares of those of at least k.
select
    node,
    count(*) as groups,
    count(*) filter (where frequency >= $k) as classes,
    cast(coalesce(sum(frequency) filter (where frequency < $k), 0) as bigint) as outliers,
    sum(cast(frequency as hugeint) * frequency) as squares,
    coalesce(sum(cast(frequency as hugeint) * frequency) filter (where frequency >= $k), 0) as released_squares
from {frequency}
group by node
