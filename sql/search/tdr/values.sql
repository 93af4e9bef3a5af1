-- The texts of values of a hierarchy.
--
-- $levels  the level of each value
-- $firsts  the code of each value's first leaf
-- values   one star/recoding/recoded#at_level per level
-- table    the dimension table of the attribute: codes and texts at every level
--
-- One row per value.
select
    value.level,
    value.first,
    case value.level {values} end as text
from (
    select
        unnest($levels) as level,
        unnest($firsts) as first
) as value
join {table} as member
    on member.code = value.first

-- section: intervals
-- The texts of a numeric attribute's intervals. The first and the last one have no outer end: they contain every
-- smaller and every larger number, and do not reveal the smallest and the largest one of the source.
--
-- $firsts  the code of each interval's first leaf
-- $lasts   one more than the code of each interval's last leaf
-- label    search/ranges/ends#label
-- table    the dimension table, numeric
-- ends     search/ranges/ends
--
-- One row per interval. The missing value comes after all numbers; an interval of the missing value alone has no text.
with ends as materialized (
    {ends}
)
select
    interval.first,
    interval.last,
    case
        when lower.code is not null
        then {label} || case when upper.code is null and lower.low is not null then ' or missing' else '' end
        when interval.first = 0 then '*'
    end as text
from (
    select
        unnest($firsts) as first,
        unnest($lasts) as last
) as interval
join (
    select max(code) + 1 as leaves
    from {table}
) as counted
    on true
left join ends as lower
    on lower.code = interval.first
left join ends as upper
    on upper.code = interval.last - 1

-- section: whole
-- The text of an interval of all numbers: * if it includes all leaves, not if the missing value is outside of it.
case when interval.last = counted.leaves then '*' else 'any number' end
