-- A dimension table: the members of one hierarchy, numbered so that the leaves under any value are neighbours, and
-- numbers stand in their order.
--
-- ancestors  one #ancestor per level, as ancestor_0, ancestor_1, …
-- levels     level_0, level_1, …; before them number where it is numeric
-- order      the level columns from the top down; number and level_0 where it is numeric
-- members    the hierarchy's members
--
-- One row per member. A value above the leaves goes by the code of its first leaf, so the same table climbs from any
-- level.
select
    code,
    present,
    value,
    {levels},
    {ancestors}
from (
    select
        cast(row_number() over (order by {order}) - 1 as uinteger) as code,
        *
    from {members}
)

-- section: ancestor
-- The code that a member's value at one level goes by: that of the first leaf under it.
--
-- level  the level's column
min(code) over (partition by {level})

-- section: generalization
-- One level of one dimension, as rows.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- level      the level, 0 for the leaves
-- name       the level's column
-- ancestor   the level's ancestor column
-- table      the dimension table
--
-- One row per member: leaves counts the leaves under its ancestor, loss is the share of the other leaves that the
-- ancestor covers (0 … 1), modified tells whether a cell of this leaf reads differently at the level.
select
    cast({dimension} as utinyint) as dimension,
    cast({level} as utinyint) as level,
    code,
    {ancestor} as ancestor,
    count(*) over (partition by {ancestor}) as leaves,
    coalesce((count(*) over (partition by {ancestor}) - 1) / nullif(count(*) over () - 1, 0), 0) as loss,
    {name} is distinct from level_0 as modified
from {table}
