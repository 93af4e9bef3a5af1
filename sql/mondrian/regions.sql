-- New regions: their rows, the level of the closest value that covers an attribute's leaves, and the cuts that they
-- could try, on the widest attribute first (LeFevre, DeWitt, Ramakrishnan 2006). One of fewer than 2k rows has none.
--
-- $k       the smallest allowed region
-- $known   the number of the last region that is known
-- columns  level_1, level_2, …; of numeric attributes also low_1, high_1, …
-- levels   one mondrian/common per attribute, under these names
-- cuts     one mondrian/cut per attribute
-- spans    one mondrian/span per attribute
-- parts    the parts
-- widths   mondrian/widths of every attribute and level; mondrian/places of numeric attributes
-- numeric  the positions of the numeric attributes, and 0
--
-- One row per region beyond the known ones.
with spans as (
    select
        region,
        cast(sum(frequency) as bigint) as frequency,
        {spans}
    from {parts}
    where region > $known
    group by region
),

regions as (
    select
        *,
        {levels}
    from spans
),

choices as (
    select
        region,
        unnest([{cuts}]) as cut
    from regions
    where frequency >= 2 * $k
),

queues as (
    select
        region,
        list(
            struct_pack(dimension := cut.dimension, shift := cut.shift)
            order by
                case when cut.dimension in ({numeric}) then last.width - first.width else wide.width end desc,
                cut.dimension
        ) as cuts
    from choices
    join {widths} as wide
        on wide.dimension = cut.dimension
        and wide.level = cut.level
        and wide.value = cut.value
    left join {widths} as first
        on first.dimension = cut.dimension
        and first.level = 0
        and first.value = cut.low
    left join {widths} as last
        on last.dimension = cut.dimension
        and last.level = 0
        and last.value = cut.high
    where cut.level > 0
    group by region
)

select
    region,
    frequency,
    {columns},
    coalesce(cuts, []) as cuts
from regions
left join queues using (region)
