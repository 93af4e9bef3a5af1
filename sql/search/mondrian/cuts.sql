-- The possible cuts of new regions, on the widest attribute first (LeFevre, DeWitt, Ramakrishnan 2006), into the
-- children of the lowest value above all leaves of the region. A region with too few rows for two regions has no cut.
--
-- $known   the highest id of a region with known cuts
-- twice    the least number of rows of two regions
-- choices  one #choice per attribute
-- regions  search/mondrian/regions
-- levels   search/mondrian/level of every attribute and level
-- widths   search/mondrian/places#widths of every attribute and level; search/mondrian/places of numeric attributes
--
-- One row per region with an id above $known and a possible cut: dimension and shift of the first cut to try, and the
-- list of the other cuts.
with queues as (
    select
        choice.region,
        any_value(choice.frequency) as frequency,
        list(
            struct_pack(dimension := level.dimension, shift := level.shift)
            order by
                coalesce(last.width - first.width, wide.width) desc,
                level.dimension
        ) as cuts
    from (
        select
            region,
            frequency,
            unnest([{choices}]) as cut
        from {regions}
        where region > $known
            and frequency >= {twice}
    ) as choice
    join {levels} as level
        on level.dimension = choice.cut.dimension
        and xor(choice.cut.low, choice.cut.high) between level.reach and level.until
    join {widths} as wide
        on wide.dimension = level.dimension
        and wide.level = level.level
        and wide.value = choice.cut.low >> level.above
    left join {widths} as first
        on first.dimension = level.dimension
        and first.level = 0
        and first.value = choice.cut.low
    left join {widths} as last
        on last.dimension = level.dimension
        and last.level = 0
        and last.value = choice.cut.high
    group by choice.region
)

select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from queues

-- section: choice
-- An attribute as a candidate for the cut of a region.
--
-- dimension  the attribute's position
-- low        the path of the region's first leaf
-- high       the path of the region's last leaf
struct_pack(
    dimension := {dimension},
    low := cast({low} as hugeint),
    high := cast({high} as hugeint)
)

-- section: refused
-- The regions with a refused cut: the cuts left to try, without the refused one.
--
-- cuts   search/mondrian/cuts
-- sides  search/mondrian/sides
--
-- One row per such region with a cut left.
select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from {cuts} as cut
where len(cuts) > 0
    and not exists (
        select 1
        from {sides} as side
        where side.region = cut.region
    )
