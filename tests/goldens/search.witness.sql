-- search/witness/alone
select
    dimension,
    level,
    count(*) as groups,
    cast(coalesce(sum(greatest(frequency, 1)) filter (where "violating"), 0) as bigint) as outliers
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

-- search/witness/coinciding
select
    rare.witness,
    cast(case when star."column" = rare."column" then "level" else "top" end * "stride" as bigint) as cell,
    cast(sum(star.frequency) as bigint) as frequency
from "star" as star
cross join "rare" as rare
group by
    rare.witness,
    cell

-- search/witness/coinciding#first
case when star."column" = rare."column" then "level" else "top" end * "stride"

-- search/witness/coinciding#at_level
when star."column" = rare."column" then "level"

-- search/witness/coinciding#nowhere
0

-- search/witness/coinciding#rare
select
    row_number() over (order by "leaves") as witness,
    "levels"
from "star"
where "violating"
qualify (row_number() over (order by "leaves") - 1) % greatest(1, count(*) over () // $most) = 0

-- search/witness/estimate
select approx_count_distinct(hash("levels")) as groups
from "star"
