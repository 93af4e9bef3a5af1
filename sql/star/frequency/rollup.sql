-- The frequency set of a node, rolled up from the frequency set of a node beneath it.
--
-- node     the node's number
-- beneath  the number of the node beneath
-- codes    the node's values, as value_1, value_2, …
-- merged   #counted, and one privacy/aggregates#merged per carried sensitive attribute
-- below    frequency sets: node, value_1, value_2, …, frequency
-- climbs   one #climb per attribute with a higher level than in the node beneath; empty without such attributes
--
-- One row per value group of the node. sum(frequency) is the same as for the node beneath. The code of a value above
-- the leaves is the code of its first leaf, so a climb joins one row per value, not one row per leaf under the value.
select
    {node} as node,
    {codes},
    {merged}
from {below} as below
{climbs}
where below.node = {beneath}
group by all

-- section: climb
-- The join from an attribute's code to its ancestor at a higher level. The dimension and the level are constants: as
-- columns of a join, they would let the planner first build all pairs of members of different dimensions.
--
-- generalization  the generalization relation: the ancestors of all members
-- climb           the alias of the generalization relation in this join
-- dimension       the attribute's position in the quasi-identifier
-- level           the attribute's level at the node
-- value           the attribute's column of the frequency set
join {generalization} as {climb}
    on {climb}.dimension = {dimension}
    and {climb}.level = {level}
    and {climb}.code = below.{value}

-- section: counted
-- Number of rows of a value group: the sum over the merged value groups or tuples.
cast(sum(frequency) as bigint) as frequency
