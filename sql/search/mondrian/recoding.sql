-- The settled parts as a recoding: every cell goes to the closest value covering its attribute's leaves in the region,
-- or to the range of its numbers there.
--
-- codes    code_1, code_2, …, and carried columns
-- levels   one #common per attribute, as level_1, level_2, …
-- names    level_1, level_2, …
-- ranges   one #range per numeric attribute, each after a comma
-- settled  search/mondrian/regions#settled
-- regions  search/mondrian/regions
-- joins    one #leaf per attribute, two more per numeric one
--
-- One row per part.
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
-- A level, if both ends of a region are under one of its values, and under none of those below.
--
-- low    the first leaf
-- high   the last leaf
-- size   the first number with a digit of the level
-- level  the level
when xor({low}, {high}) < {size} then {level}

-- section: common
-- The level of the closest value covering all leaves of one attribute in a region.
--
-- levels  one #at_level per level, from the leaves up
cast(case {levels} end as utinyint)

-- section: leaf
-- The leaf at the end of a path.
--
-- paths  search/mondrian/paths, or search/ranges/ends#of_paths
-- leaf   the alias of the joined leaves
-- path   the path
left join {paths} as {leaf}
    on {leaf}.path = {path}

-- section: range
-- The range of a region's numbers between the cut points around them, and the covered share of the attribute's other
-- leaves. A missing value among numbers allows only the top.
--
-- paths  search/mondrian/paths
-- low    the first leaf
-- high   the last leaf
-- label  search/ranges/ends#label
-- top    hierarchy/top
-- text   the name of the range
-- share  the name of the share
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
