-- The frequency set of a node, rolled up from the frequency set of a node beneath it.
--
-- node     the node's number
-- beneath  the number of the node beneath
-- codes    the node's values, as value_1, value_2, …
-- merged   frequency/counted, and one privacy/merged per sensitive attribute that is carried
-- below    frequency sets: node, value_1, value_2, …, frequency
-- climbs   one frequency/climb per attribute whose level rises, none where all values stand in the one beneath
--
-- One row per value group of the node. sum(frequency) is that of the node beneath. A value above the leaves goes by the
-- code of its first leaf, so a climb meets one row of the dimension, not one per leaf under the value.
select
    {node} as node,
    {codes},
    {merged}
from {below} as below
{climbs}
where below.node = {beneath}
group by all
