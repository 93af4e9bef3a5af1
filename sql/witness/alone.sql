-- Every attribute alone at each of its levels: the node that has the other attributes at their tops.
--
-- $k              the smallest allowed value group
-- generalization  the generalization relation
-- marginals       one witness/marginal per attribute, one after the other
--
-- One row per attribute and level: its value groups, and the rows in those of fewer than k.
select
    dimension,
    level,
    count(*) as groups,
    cast(coalesce(sum(frequency) filter (where frequency < $k), 0) as bigint) as outliers
from (
    select
        marginal.dimension,
        climb.level,
        climb.ancestor,
        sum(marginal.frequency) as frequency
    from (
{marginals}
    ) as marginal
    join {generalization} as climb
        on climb.dimension = marginal.dimension
        and climb.code = marginal.code
    group by all
)
group by all
