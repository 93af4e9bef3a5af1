-- The frequency set of one node, counted from the star: no other frequency set takes part.
--
-- node    the node's number
-- levels  its level columns, such as zip_2, sex_0
-- star    the star
--
-- One row per value group of the node. sum(frequency) is that of the star.
select
    {node} as node,
    {levels},
    cast(sum(frequency) as bigint) as frequency
from {star}
group by all
