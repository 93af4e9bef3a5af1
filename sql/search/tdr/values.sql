-- What values of a hierarchy read.
--
-- $levels  their levels
-- $firsts  the code of each one's first leaf
-- values   one recoding/at_level per level
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
