-- The rows of each region by what its next cut tells apart: the children of a value, the leaves of a numeric attribute.
--
-- child   #child
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per sensitive attribute that is carried
-- parts   the parts
-- cuts    search/mondrian/cuts
--
-- One row per region and child. sum(frequency) is that of the regions that have a cut to try.
select
    region,
    {child} as child,
    {merged}
from {parts} as part
join (
    select
        region,
        dimension,
        shift
    from {cuts}
) as cut using (region)
group by
    region,
    child

-- section: child
-- A part's child of the value that its region may be cut at.
--
-- paths  one #path per attribute
case cut.dimension {paths} end

-- section: path
-- A part's child of a value of one attribute.
--
-- dimension  the attribute's position
-- path       its path column
when {dimension} then {path} >> cut.shift

-- section: half
-- A part's half of a numeric attribute.
--
-- dimension  the attribute's position
when {dimension} then half
