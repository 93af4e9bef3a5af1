-- The frequency set of one node, counted from the star's tuples, not from another frequency set.
--
-- node    the node's number
-- levels  the star's columns at the node's levels, such as zip_2, sex_0
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- star    the star: the base frequency set with codes in place of values
--
-- One row per value group of the node. sum(frequency) is the same as in the star.
select
    {node} as node,
    {levels},
    {merged}
from {star}
group by all
