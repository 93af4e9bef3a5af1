-- How wide the values of one level of one attribute are.
--
-- dimension  the attribute's position
-- level      the level
-- shift      how many bits of a path lie below it
-- paths      search/mondrian/paths
--
-- One row per value: the share of the other leaves that it covers (0 … 1).
select
    {dimension} as dimension,
    {level} as level,
    cast(path >> {shift} as hugeint) as value,
    coalesce((count(*) - 1) / nullif((select count(*) from {paths}) - 1, 0), 0) as width
from {paths}
group by all
