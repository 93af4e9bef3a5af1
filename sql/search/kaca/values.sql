-- The values of one hierarchy by number, and the numbers of their generalizations at every level from their own up. A
-- value's number is its level times the number of members (leaves), plus the code of the first leaf under the value.
--
-- own     one #at per level
-- above   one #above per level, as above_0, above_1, …
-- levels  the number of levels
-- table   the dimension table of the attribute: codes and texts at every level
--
-- One row per value.
select distinct
    ([{own}])[level + 1] as value,
    {above}
from {table}
cross join range({levels}) as levels(level)

-- section: at
-- The number of a member's generalization at one level.
--
-- first     the level times the number of members
-- ancestor  the member's code at the level
(cast({ancestor} as integer) + {first})

-- section: above
-- The number of a value's generalization at one level; missing for a level below the value's own.
--
-- level  the level
-- value  #at of the level
case when level <= {level} then {value} end

-- section: first
-- The code of the first leaf under a value.
--
-- value    the value's number
-- members  the number of members of the hierarchy
({value} % {members})

-- section: members
-- Number of possible codes of a hierarchy's members.
--
-- table  the dimension table of the attribute: codes and texts at every level
--
-- One row.
select cast(coalesce(max(code), 0) as integer) + 1 as members
from {table}

-- section: tops
-- The top value above each member, in a hierarchy with a highest level set by the job.
--
-- top    the column with the code of the top value
-- table  the dimension table of the attribute: codes and texts at every level
--
-- One row per member.
select
    code,
    {top} as top
from {table}

-- section: total
-- The sum over the attributes, in 64 bits. It begins with a 64-bit zero: a sum of literal numbers of 32 bits would have
-- 32 bits, and overflow.
--
-- attributes  one summand per attribute
(cast(0 as bigint) + {attributes})
