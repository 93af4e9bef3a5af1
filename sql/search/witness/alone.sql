-- Value groups and outliers of every attribute alone, at each of its levels. They equal those of the node with this
-- level, and with all other attributes at their tops.
--
-- merged          star/frequency/rollup#counted, and one privacy/aggregates#merged per sensitive attribute carried
-- violating       the condition for a violating value group
-- rows            frequency, or privacy/population#counted
-- generalization  the generalization relation: the ancestors of all members
-- marginals       one star/marginal per attribute, one after the other
--
-- One row per attribute and level: the number of value groups, and of rows in violating value groups.
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
