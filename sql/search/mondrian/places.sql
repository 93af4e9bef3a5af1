-- Places of a numeric attribute's leaves between its first and its last number (0 … 1), times its importance. The
-- missing value lies beyond: a region with it has no range, however narrow. As binary fractions: exact numbers of
-- twenty digits may be too far apart for an exact difference.
--
-- dimension   the attribute's position
-- importance  the weight of its width
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
-- shift       how many bits of a path lie below it
-- importance  the weight of the attribute's width
-- paths       search/mondrian/paths
--
-- One row per value: the covered share of the other leaves (0 … 1), times the importance.
select
    {dimension} as dimension,
    {level} as level,
    cast(path >> {shift} as hugeint) as value,
    {importance} * coalesce((count(*) - 1) / nullif((select count(*) from {paths}) - 1, 0), 0) as width
from {paths}
group by all
