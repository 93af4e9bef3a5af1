-- The recoding by the final regions: every cell is generalized to the lowest value above all leaves of its attribute in
-- the region, or to the range of the region's numbers.
--
-- codes    code_1, code_2, …, and carried columns
-- levels   one #common per attribute, as level_1, level_2, …
-- names    level_1, level_2, …
-- ranges   one #range per numeric attribute, each after a comma
-- settled  search/mondrian/regions#settled
-- regions  search/mondrian/regions
-- joins    one #leaf per attribute, and per numeric attribute two for the ends of its range
--
-- One row per part: the rows of a tuple in one region.
select
    {codes},
    {names}{ranges},
    part.frequency,
    false as suppressed
from {settled} as part
join (
    select
        *,
        {levels}
    from {regions}
) as region using (region)
{joins}

-- section: at_level
-- A branch for a level: it is chosen if the first and last leaf of a region have a common ancestor at the level, and
-- none at the levels below, tested by earlier branches.
--
-- low    the path of the first leaf
-- high   the path of the last leaf
-- size   the least difference of paths of leaves without a common ancestor at the level
-- level  the level
when xor({low}, {high}) < {size} then {level}

-- section: common
-- The lowest level with a single value above all leaves of one attribute in a region.
--
-- levels  one #at_level per level, from the leaves up
cast(case {levels} end as utinyint)

-- section: leaf
-- The join of a path with its leaf.
--
-- paths  search/mondrian/paths, or search/ranges/ends#of_paths
-- leaf   the alias of the joined leaves
-- path   the path
left join {paths} as {leaf}
    on {leaf}.path = {path}

-- section: range
-- Two columns for a region and a numeric attribute: the text of the range of its numbers, from the cut point before to
-- the cut point after them, and the share of the attribute's other leaves covered. A region with numbers and the
-- missing value has the top. The text is missing for a single number.
--
-- paths  search/mondrian/paths
-- low    the first leaf
-- high   the last leaf
-- label  search/ranges/ends#label
-- top    hierarchy/top
-- text   the column name of the range's text
-- share  the column name of the share
,
case
    when region.{low} = region.{high} then null
    when {high}.number is null then {top}
    else {label}
end as {text},
case
    when region.{low} = region.{high} then 0
    when {high}.number is null then 1
    else ({high}.code - {low}.code) / (select max(code) from {paths})
end as {share}
