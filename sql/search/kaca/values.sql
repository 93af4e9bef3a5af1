-- The values of one hierarchy, by number, each with the number of its value at every level from its own up. A value's
-- number is its level times the members, plus the code of the first leaf under it.
--
-- own     one #at per level
-- above   one #above per level, as above_0, above_1, …
-- levels  how many levels there are
-- table   the dimension table
--
-- One row per value.
select distinct
    ([{own}])[level + 1] as value,
    {above}
from {table}
cross join range({levels}) as levels(level)

-- section: at
-- The number of a member's value at one level.
--
-- first     the level times the members
-- ancestor  the member's code at the level
(cast({ancestor} as integer) + {first})

-- section: above
-- A value's value at one level, unless the level is below its own.
--
-- level  the level
-- value  #at of the level
case when level <= {level} then {value} end

-- section: first
-- The code of the first leaf under a value.
--
-- value    the value's number
-- members  how many members the hierarchy has
({value} % {members})

-- section: members
-- Number of possible codes of a hierarchy's members.
--
-- table  the dimension table
--
-- One row.
select cast(coalesce(max(code), 0) as integer) + 1 as members
from {table}

-- section: tops
-- The value at the top of each member, if a job sets the top.
--
-- top    the column of its code
-- table  the dimension table
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
-- attributes  one piece per attribute
(cast(0 as bigint) + {attributes})
