-- The frequency set of a node, from a frequency set beneath it that carries the levels above its own. No join: for a
-- small frequency set, planning the climbs takes longer than running them.
--
-- node     the node's number
-- beneath  that of the frequency set beneath
-- levels   the node's level columns, such as zip_2, sex_0
-- below    frequency sets with levels: node, zip_0, zip_1, …, frequency
--
-- One row per value group of the node. sum(frequency) is that of the frequency set beneath.
select
    {node} as node,
    {levels},
    cast(sum(below.frequency) as bigint) as frequency
from {below} as below
where below.node = {beneath}
group by all
