-- A dimension table: the members of one hierarchy with codes from 0. The leaves under any value have consecutive codes;
-- codes of a numeric attribute follow the order of its numbers.
--
-- ancestors  one #ancestor per level, as ancestor_0, ancestor_1, …
-- levels     level_0, level_1, …; for a numeric attribute, number comes first
-- order      the level columns from the top down; for a numeric attribute, number comes before level_0
-- members    the members of the hierarchy: each leaf with its texts at every level
--
-- One row per member. The code of a value above the leaves is the code of its first leaf, so the table yields ancestors
-- for codes of any level.
select
    cast(row_number() over (order by {order}) - 1 as uinteger) as code,
    present,
    value,
    {levels},
    {ancestors}
from {members}

-- section: ancestor
-- The code of a member's value at one level: the code of the first leaf under this value. Every level is a function of
-- the level below, so the rank is the number of leaves under preceding values.
--
-- order  the columns that order the members, from the top down to the column of this level
cast(rank() over (order by {order}) - 1 as uinteger)

-- section: occurring
-- The members that occur in a row of the source.
--
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row per such member.
(
    select *
    from {members}
    where present
)

-- section: sparse
-- True if more than half of the leaves of a dimension occur in no row.
--
-- table     the dimension table of the attribute: codes and texts at every level
-- position  the attribute's position
--
-- One row.
select
    {position} as position,
    2 * count(*) filter (where present) < count(*) as is_sparse
from {table}

-- section: values
-- Number of distinct values at each level of a dimension, of members that occur in a row of the source.
--
-- values  one #values_at per level
-- table   the dimension table of the attribute: codes and texts at every level
--
-- One row.
select
    {values}
from {table}
where present

-- section: values_at
-- Number of distinct values of a level, counted by their codes.
--
-- ancestor  the ancestor column of the level
count(distinct {ancestor})
