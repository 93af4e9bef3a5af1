-- The frequency set of a node, rolled up from the frequency set of a node beneath it.
--
-- node     the node's number
-- beneath  the number of the node beneath
-- codes    the node's values, as value_1, value_2, …
-- merged   #counted, and one privacy/aggregates#merged per carried sensitive attribute
-- below    frequency sets: node, value_1, value_2, …, frequency
-- climbs   one #climb per attribute with a higher level, none if all values are in the one beneath
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

-- section: climb
-- An attribute's value at a level of its dimension. The dimension and the level are constants here: joined as columns
-- they let the planner pair up all members of all dimensions first.
--
-- generalization  the generalization relation
-- climb           a name for this use of it
-- dimension       the attribute's position in the quasi-identifier
-- level           the level
-- value           the attribute's column of the frequency set
join {generalization} as {climb}
    on {climb}.dimension = {dimension}
    and {climb}.level = {level}
    and {climb}.code = below.{value}

-- section: counted
-- The rows of a value group, from those of its parts.
cast(sum(frequency) as bigint) as frequency
