-- Position of each number of a numeric attribute between the first and the last number (0 … 1), times the importance.
-- The missing value has position 2: a region with numbers and the missing value has no range and counts as wide.
-- Positions are floating-point numbers: exact numbers of twenty digits may be too far apart for an exact difference.
--
-- dimension   the attribute's position
-- importance  the attribute's importance, a factor of its width
-- paths       search/mondrian/paths
--
-- One row per leaf.
select
    {dimension} as dimension,
    0 as level,
    cast(path as hugeint) as value,
    {importance} * coalesce(
        (place - min(place) over ()) / nullif(max(place) over () - min(place) over (), 0),
        case when place is null then 2 else 0 end
    ) as width
from (
    select
        path,
        cast(number as double) as place
    from {paths}
)

-- section: widths
-- Widths of the values of one level of one attribute.
--
-- dimension   the attribute's position
-- level       the level
-- shift       the number of bits of a path below the level
-- importance  the attribute's importance, a factor of its width
-- paths       search/mondrian/paths
--
-- One row per value: the share of the other leaves covered by the value (0 … 1), times the importance.
select
    {dimension} as dimension,
    {level} as level,
    cast(path >> {shift} as hugeint) as value,
    {importance} * coalesce((count(*) - 1) / nullif((select count(*) from {paths}) - 1, 0), 0) as width
from {paths}
group by all
