-- The frequency sets of many nodes, each rolled up from the frequency set of a node beneath it.
--
-- $batch  which of the nodes
-- codes   one frequency/code per attribute, as value_1, value_2, …
-- nodes   node, beneath, dimensions, levels, batch: which nodes, and whence
-- below   the frequency sets beneath: node, value_1, value_2, …, frequency
-- climbs  one frequency/climb per attribute
--
-- One row per node and value group. For each node, sum(frequency) is that of the node beneath. A value above the leaves
-- goes by the code of its first leaf, so a climb meets one row of the dimension, not one per leaf under the value.
select
    nodes.node,
    {codes},
    cast(sum(below.frequency) as bigint) as frequency
from {nodes} as nodes
join {below} as below
    on below.node = nodes.beneath
{climbs}
where nodes.batch = $batch
group by all
