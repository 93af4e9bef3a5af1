-- search/objective/candidates
select id
from "nodes"

-- search/objective/loss
select
    climb.dimension,
    climb.level,
    cast(climb.leaves as bigint) as leaves,
    cast(coalesce(marginal.frequency, 0) as bigint) as frequency
from "generalization" as climb
left join (
    select
        1 as dimension,
        "code" as code,
        cast(sum(frequency) as bigint) as frequency
    from "star"
    group by "code"
) as marginal
    on marginal.dimension = climb.dimension
    and marginal.code = climb.code
order by
    climb.dimension,
    climb.level,
    climb.code
