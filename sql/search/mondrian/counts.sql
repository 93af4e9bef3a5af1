-- Number of rows of each region by child, for its next cut. The children are those of a hierarchy's value, or the
-- leaves of a numeric attribute.
--
-- child   #child
-- merged  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- parts   the parts (rows of one tuple in a region): search/mondrian/parts, in the current regions
-- cuts    search/mondrian/cuts
--
-- One row per region and child. sum(frequency) is the number of rows in all regions with a cut to try.
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
-- The child of a part (rows of one tuple in a region), by the attribute of its region's next cut.
--
-- paths  one #path per attribute
case cut.dimension {paths} end

-- section: path
-- The child of a part if its region is to be cut on this attribute: the first digits of its path.
--
-- dimension  the attribute's position
-- path       its path column
when {dimension} then {path} >> cut.shift

-- section: half
-- The half (0 or 1) of a part if its region is to be cut on this numeric attribute, in relaxed partitioning.
--
-- dimension  the attribute's position
when {dimension} then half
