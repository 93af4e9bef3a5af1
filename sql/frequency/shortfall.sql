-- How far each node is from k-anonymity.
--
-- $k         the smallest allowed value group
-- frequency  frequency sets: node, …, frequency
--
-- One row per node: its value groups, those of at least k rows, and the rows in the others (the outliers).
select
    node,
    count(*) as groups,
    count(*) filter (where frequency >= $k) as classes,
    cast(coalesce(sum(frequency) filter (where frequency < $k), 0) as bigint) as outliers
from {frequency}
group by node
