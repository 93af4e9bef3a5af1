-- The rows of each region by the parts of its next cut: the children of a value, the leaves of a numeric attribute.
--
-- child   #child
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- parts   the parts
-- cuts    search/mondrian/cuts
--
-- One row per region and child. sum(frequency) is that of the regions with a cut to try.
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
-- A part's child of the value at which its region may be cut.
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
