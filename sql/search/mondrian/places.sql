-- Where the leaves of a numeric attribute lie between its first and its last number (0 … 1), times its importance. The
-- missing value lies beyond: whoever shares a region with it has no range, however narrow. As binary fractions: exact
-- numbers of twenty digits may be too far apart for an exact difference.
--
-- dimension   the attribute's position
-- importance  by which its width counts
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
-- How wide the values of one level of one attribute are.
--
-- dimension   the attribute's position
-- level       the level
-- shift       how many bits of a path lie below it
-- importance  by which the attribute's width counts
-- paths       search/mondrian/paths
--
-- One row per value: the share of the other leaves that it covers (0 … 1), times the importance.
select
    {dimension} as dimension,
    {level} as level,
    cast(path >> {shift} as hugeint) as value,
    {importance} * coalesce((count(*) - 1) / nullif((select count(*) from {paths}) - 1, 0), 0) as width
from {paths}
group by all
