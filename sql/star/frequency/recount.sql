-- The frequency set of one node, counted from the star: no other frequency set takes part.
--
-- node    the node's number
-- levels  its level columns, such as zip_2, sex_0
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- star    the star
--
-- One row per value group of the node. sum(frequency) is that of the star.
select
    {node} as node,
    {levels},
    {merged}
from {star}
group by all
