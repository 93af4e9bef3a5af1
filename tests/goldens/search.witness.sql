-- search/witness/alone
select
    dimension,
    level,
    count(*) as groups,
    cast(coalesce(sum(frequency) filter (where "violating"), 0) as bigint) as outliers
from (
    select
        marginal.dimension,
        climb.level,
        climb.ancestor,
        cast(sum(frequency) as bigint) as frequency
    from (
        select
            1 as dimension,
            "code" as code,
            cast(sum(frequency) as bigint) as frequency
        from "star"
        group by "code"
    ) as marginal
    join "generalization" as climb
        on climb.dimension = marginal.dimension
        and climb.code = marginal.code
    group by all
)
group by all

-- search/witness/alone#marginal
select
    1 as dimension,
    "code" as code,
    cast(sum(frequency) as bigint) as frequency
from "star"
group by "code"

-- search/witness/climbs
select
    dimension,
    level,
    code,
    ancestor
from "generalization"
order by
    dimension,
    level,
    code

-- search/witness/estimate
select approx_count_distinct(hash("levels")) as groups
from "star"
