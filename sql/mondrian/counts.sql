-- The rows of each region by what its next cut tells apart: the children of a value, the leaves of a numeric attribute.
--
-- child  mondrian/child
-- parts  the parts
-- cuts   mondrian/cuts
--
-- One row per region and child. sum(frequency) is that of the regions that have a cut to try.
select
    region,
    {child} as child,
    cast(sum(part.frequency) as bigint) as frequency
from {parts} as part
join {cuts} as cut using (region)
group by
    region,
    child
