-- The range of a region's numbers, both ends in it, and the share of the attribute's other leaves that it covers. A
-- missing value among numbers leaves only the top.
--
-- paths  search/mondrian/paths
-- low    the first leaf
-- high   the last leaf
-- first  search/mondrian/number of the first
-- last   search/mondrian/number of the last
-- top    hierarchy/top
-- text   the name of the range
-- share  the name of the share
,
case
    when region.{low} = region.{high} then null
    when {high}.number is null then {top}
    else '[' || {first} || ', ' || {last} || ']'
end as {text},
case
    when region.{low} = region.{high} then 0
    when {high}.number is null then 1
    else ({high}.code - {low}.code) / (select max(code) from {paths})
end as {share}
