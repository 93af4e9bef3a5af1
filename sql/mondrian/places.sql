-- Where the leaves of a numeric attribute lie between its first and its last number (0 … 1). The missing value lies
-- beyond: whoever shares a region with it has no range, however narrow.
--
-- dimension  the attribute's position
-- paths      mondrian/paths
--
-- One row per leaf.
select
    {dimension} as dimension,
    0 as level,
    cast(path as hugeint) as value,
    cast(
        coalesce(
            (number - min(number) over ()) / nullif(max(number) over () - min(number) over (), 0),
            case when number is null then 2 else 0 end
        ) as double
    ) as width
from {paths}
