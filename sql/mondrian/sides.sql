-- The allowable cuts: every side of them has at least k rows. A hierarchical attribute is cut into the children of its
-- value, a numeric one in two, between the leaves where an allowable cut is nearest to the median.
--
-- $k       the smallest allowed region
-- $known   the number of the last region that is known
-- counts   mondrian/counts
-- cuts     mondrian/cuts
-- numeric  the positions of the numeric attributes, and 0
--
-- One row per child of a region that is cut, with the new region it goes to.
with medians as (
    select
        region,
        min(struct_pack(far := abs(2 * until - whole), child := child)).child as last
    from (
        select
            region,
            child,
            cut.frequency as whole,
            sum(counted.frequency) over (partition by region order by child) as until
        from {counts} as counted
        join {cuts} as cut using (region)
        where cut.dimension in ({numeric})
    )
    where until >= $k
        and whole - until >= $k
    group by region
),

sided as materialized (
    select
        region,
        child,
        case when cut.dimension in ({numeric}) then cast(child > median.last as integer) else child end as side,
        counted.frequency
    from {counts} as counted
    join {cuts} as cut using (region)
    left join medians as median using (region)
),

sizes as materialized (
    select
        region,
        side,
        sum(frequency) as frequency
    from sided
    where side is not null
    group by
        region,
        side
),

targets as (
    select
        region,
        side,
        cast($known + row_number() over (order by region, side) as bigint) as target
    from sizes
    join (
        select region
        from sizes
        group by region
        having min(frequency) >= $k
    ) using (region)
)

select
    region,
    child,
    target
from sided
join targets using (region, side)
