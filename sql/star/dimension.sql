-- A dimension table: the members of one hierarchy, numbered so that the leaves under any value are neighbours, and
-- numbers stand in their order.
--
-- ancestors  one #ancestor per level, as ancestor_0, ancestor_1, …
-- levels     level_0, level_1, …; before them number if it is numeric
-- order      the level columns from the top down; before level_0 number if it is numeric
-- members    the hierarchy's members
--
-- One row per member. A value above the leaves goes by the code of its first leaf, so the same table climbs from any
-- level.
select
    cast(row_number() over (order by {order}) - 1 as uinteger) as code,
    present,
    value,
    {levels},
    {ancestors}
from {members}

-- section: ancestor
-- The code of a member's value at one level: the code of the first leaf under it. Every level is a function of the one
-- below, so the leaves before it are those of other values.
--
-- order  the columns that order the members, from the top down to the level's
cast(rank() over (order by {order}) - 1 as uinteger)

-- section: occurring
-- The members that occur in a row of the source.
--
-- members  the hierarchy's members
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
-- table  the dimension table
--
-- One value.
(
    select 2 * count(*) filter (where present) < count(*)
    from {table}
)

-- section: each_sparse
-- The same for each dimension.
--
-- counted  one #sparse per dimension
--
-- One row.
select
    {counted}

-- section: values
-- Number of values that occur in a row of the source, at each level of a dimension.
--
-- values  one #values_at per level
-- table   the dimension table
--
-- One row.
select
    {values}
from {table}
where present

-- section: values_at
-- Number of values of a level. Leaves with one value there have one ancestor.
--
-- ancestor  the column of that level
count(distinct {ancestor})
