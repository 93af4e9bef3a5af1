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
