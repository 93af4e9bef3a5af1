-- Every attribute alone at each of its levels: the node with the other attributes at their tops.
--
-- merged          star/frequency/rollup#counted, and one privacy/aggregates#merged per sensitive attribute carried
-- violating       the condition for a violating value group
-- rows            frequency, or privacy/population#counted
-- generalization  the generalization relation
-- marginals       one #marginal per attribute, one after the other
--
-- One row per attribute and level: its value groups, and the rows in the violating ones.
select
    dimension,
    level,
    count(*) as groups,
    cast(coalesce(sum({rows}) filter (where {violating}), 0) as bigint) as outliers
from (
    select
        marginal.dimension,
        climb.level,
        climb.ancestor,
        {merged}
    from (
        {marginals}
    ) as marginal
    join {generalization} as climb
        on climb.dimension = marginal.dimension
        and climb.code = marginal.code
    group by all
)
group by all

-- section: marginal
-- The frequency set of one attribute alone.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- code       its leaf column of the star
-- merged     star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- star       the star
--
-- One row per value. sum(frequency) is that of the star.
select
    {dimension} as dimension,
    {code} as code,
    {merged}
from {star}
group by {code}
