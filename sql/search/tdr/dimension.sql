-- The dimension table of a numeric attribute with its intervals as a new level between the numbers and the top.
--
-- table      the dimension table, of height 1
-- intervals  search/tdr/values#intervals
--
-- One row per member (leaf). The codes of leaves and of the top are unchanged.
select
    member.code,
    member.present,
    member.value,
    member.number,
    member.level_0,
    interval.text as level_1,
    member.level_1 as level_2,
    member.ancestor_0,
    cast(interval.first as uinteger) as ancestor_1,
    member.ancestor_1 as ancestor_2
from {table} as member
join (
    {intervals}
) as interval
    on member.code >= interval.first
    and member.code < interval.last
