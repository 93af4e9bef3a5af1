-- The sides of each region's next cut. For a hierarchy, the sides are the children of a value. A numeric attribute can
-- be cut after each of its numbers (the place of the cut), into two sides.
--
-- running  one #running per end of a region and side
-- spans    low_1, high_1, …
-- left     left_low_1, left_high_1, … as low_1, high_1, …
-- right    right_low_1, right_high_1, … as low_1, high_1, …
-- counts   search/mondrian/counts, with one search/mondrian/regions#span per attribute
-- cuts     search/mondrian/cuts
-- numeric  the positions of the numeric attributes, and 0
--
-- One row per region, place of a cut (0 for a hierarchy) and side. far is twice the distance to the median, in rows.
with running as (
    select
        region,
        child,
        cut.frequency as whole,
        sum(counted.frequency) over (partition by region order by child) as until,
        {running}
    from {counts} as counted
    join {cuts} as cut using (region)
    where cut.dimension in ({numeric})
)

select
    region,
    cast(0 as hugeint) as place,
    cast(0 as hugeint) as far,
    cast(child as hugeint) as side,
    counted.frequency,
    {spans}
from {counts} as counted
join {cuts} as cut using (region)
where cut.dimension not in ({numeric})
union all
select
    region,
    child as place,
    abs(2 * until - whole) as far,
    0 as side,
    until as frequency,
    {left}
from running
where until < whole
union all
select
    region,
    child as place,
    abs(2 * until - whole) as far,
    1 as side,
    whole - until as frequency,
    {right}
from running
where until < whole

-- section: running
-- The first or last leaf of one side, for a cut of a numeric attribute after each child: the children up to this one,
-- or the children after it.
--
-- end    #low or #high
-- frame  search/mondrian/sides#up_to or search/mondrian/sides#beyond
-- side   the name of the column
{end} over (partition by region order by child {frame}) as {side}

-- section: low
-- The first leaf of several children.
--
-- low  the column with each child's first leaf
min(counted.{low})

-- section: high
-- The last leaf of several children.
--
-- high  the column with each child's last leaf
max(counted.{high})

-- section: cell
-- The cell of a region's rows in a hierarchical attribute.
--
-- level   the lowest level with one value above all its leaves: search/mondrian/recoding#common
-- low     the path of the first leaf
-- shifts  the number of bits of a path below each level
struct_pack(
    level := {level},
    low := cast({low} >> [{shifts}][{level} + 1] as hugeint),
    high := cast(0 as hugeint)
)

-- section: range
-- The cell of a region's rows in a numeric attribute: the range of numbers, or the top if the region has numbers and
-- the missing value.
--
-- low    the first leaf
-- high   the last leaf
-- paths  search/mondrian/paths
struct_pack(
    level := cast({low} <> {high} as utinyint),
    low := case
        when {low} <> {high} and {high} = (select path from {paths} where number is null) then -1
        else cast({low} as hugeint)
    end,
    high := cast({high} as hugeint)
)

-- section: of_sides
-- Changes of one QID's groups by every possible cut: each side adds its rows to the group with its cells, and the
-- region to be cut removes its rows from its old group.
--
-- qid      the number of the QID
-- least    the QID's k
-- cells    one #cell or #range per attribute of the QID
-- tried    search/mondrian/qids
-- regions  search/mondrian/regions
--
-- One row per side, and one per cut. change is a number of rows, negative for the old group.
select
    {qid} as qid,
    {least} as least,
    region,
    place,
    [{cells}] as cells,
    frequency as change
from {tried}
union all
select
    {qid} as qid,
    {least} as least,
    region,
    place,
    [{cells}] as cells,
    -frequency as change
from {regions} as region
join (
    select distinct
        region,
        place
    from {tried}
) as tried using (region)

-- section: changes
-- Changes of the groups of each QID by each possible cut alone.
--
-- of_sides  one #of_sides per QID, one after the other
--
-- One row per cut and group with more or fewer rows.
select
    qid,
    least,
    region,
    place,
    cells,
    cast(sum(change) as bigint) as change
from (
    {of_sides}
)
group by all
having sum(change) <> 0

-- section: groups
-- The groups of one QID: all regions with the same cells in its attributes, and their number of rows.
--
-- qid      the number of the QID
-- cells    one #cell or #range per attribute of the QID
-- regions  search/mondrian/regions
--
-- One row per group.
select
    {qid} as qid,
    [{cells}] as cells,
    cast(sum(frequency) as bigint) as size
from {regions}
group by all

-- section: allowable
-- The allowable cuts, each judged by itself: after the cut, every changed group has no rows, or at least its QID's k
-- rows.
--
-- tried    search/mondrian/qids
-- changes  #changes
-- groups   #groups
--
-- One row per region with an allowable cut: the place nearest to the median.
with refused as (
    select
        change.region,
        change.place
    from {changes} as change
    left join {groups} as own using (qid, cells)
    where coalesce(own.size, 0) + change.change between 1 and change.least - 1
)

select
    region,
    min(struct_pack(far := far, place := place)).place as place
from {tried} as tried
where not exists (
    select 1
    from refused
    where refused.region = tried.region
        and refused.place = tried.place
)
group by region

-- section: agreed
-- The allowable cuts to be made together. For each group, cuts that remove rows are accepted in the order of regions,
-- as long as the group keeps its QID's k rows, without counting rows added by other cuts. The cut of the
-- first region is always accepted.
--
-- allowable  #allowable
-- changes    #changes
-- groups     #groups
--
-- One row per region to be cut; there is at least one if any cut is allowable.
with touched as (
    select
        change.region,
        change.least,
        coalesce(own.size, 0) as size,
        sum(greatest(-change.change, 0)) over (
            partition by qid, cells
            order by change.region
        ) as leaving,
        row_number() over (
            partition by qid, cells
            order by change.region
        ) as turn
    from {changes} as change
    join {allowable} as cut
        on cut.region = change.region
        and cut.place = change.place
    left join {groups} as own using (qid, cells)
)

select
    region,
    place
from {allowable} as cut
where not exists (
    select 1
    from touched
    where touched.region = cut.region
        and touched.turn > 1
        and touched.leaving > 0
        and touched.size - touched.leaving < touched.least
)

-- section: sides
-- The children of the regions to be cut.
--
-- $known   the highest id of a region so far
-- counts   search/mondrian/counts
-- cuts     search/mondrian/cuts
-- agreed   #agreed
-- numeric  the positions of the numeric attributes, and 0
--
-- One row per child of a cut region, with its new region.
select
    region,
    child,
    cast(
        $known + dense_rank() over (
            order by
                region,
                case when cut.dimension in ({numeric}) then cast(child > agreed.place as integer) else child end
        ) as bigint
    ) as target
from {counts} as counted
join {cuts} as cut using (region)
join {agreed} as agreed using (region)

-- section: moved
-- The parts of all regions: in their old region or, if it was cut, in their new region.
--
-- paths   path_1, path_2, …
-- child   search/mondrian/counts#child
-- parts   the parts (rows of one tuple in a region): search/mondrian/parts, in the current regions
-- cuts    search/mondrian/cuts
-- sides   #sides
--
-- One row per part.
select
    coalesce(side.target, part.region) as region,
    {paths},
    part.frequency
from {parts} as part
left join {cuts} as cut using (region)
left join {sides} as side
    on side.region = part.region
    and side.child = {child}

-- section: next
-- The next cut to try in each region that was not cut: the same cut if it was allowable but not made, otherwise the one
-- after it.
--
-- cuts       search/mondrian/cuts
-- allowable  #allowable
-- agreed     #agreed
--
-- One row per region with a cut left.
select cut.*
from {cuts} as cut
where region in (select region from {allowable})
    and region not in (select region from {agreed})
union all
select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from {cuts} as cut
where len(cuts) > 0
    and region not in (select region from {allowable})
