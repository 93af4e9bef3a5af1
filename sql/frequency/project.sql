-- The frequency set of fewer attributes, from one of more (sections 3 and 3.3.2): the subset property as a rollup.
--
-- node     the number of the subset
-- beneath  that of the superset
-- codes    the values that are left, as value_1, value_2, …
-- below    frequency sets of supersets: node, value_1, value_2, …, frequency
--
-- One row per value group of the subset. sum(frequency) is that of the superset.
select
    {node} as node,
    {codes},
    cast(sum(below.frequency) as bigint) as frequency
from {below} as below
where below.node = {beneath}
group by all
