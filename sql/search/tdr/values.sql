-- What values of a hierarchy read.
--
-- $levels  their levels
-- $firsts  the code of each one's first leaf
-- values   one recoding/recoded#at_level per level
-- table    the dimension table
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
-- What intervals of a numeric attribute read. The first and the last one have no outer end: they hold every smaller and
-- every larger number, and do not tell the smallest and the largest one of the source.
--
-- $firsts  the code of each interval's first leaf
-- $lasts   the code after that of its last leaf
-- table    the dimension table, numeric
--
-- One row per interval. The missing value stands after all numbers; alone it stays missing.
select
    interval.first,
    interval.last,
    case
        when lower.number is null and interval.first > 0 then null
        when upper.code is null and interval.first = 0 then '*'
        when upper.number is null and interval.first = 0 then 'any number'
        when interval.first = 0 then '< ' || regexp_replace(cast(upper.number as varchar), '\.?0+$', '')
        when upper.number is null
        then '>= ' || regexp_replace(cast(lower.number as varchar), '\.?0+$', '')
            || case when final.number is null then ' or missing' else '' end
        else '[' || regexp_replace(cast(lower.number as varchar), '\.?0+$', '') || ', '
            || regexp_replace(cast(upper.number as varchar), '\.?0+$', '') || ')'
    end as text
from (
    select
        unnest($firsts) as first,
        unnest($lasts) as last
) as interval
join {table} as lower
    on lower.code = interval.first
join {table} as final
    on final.code = interval.last - 1
left join {table} as upper
    on upper.code = interval.last
