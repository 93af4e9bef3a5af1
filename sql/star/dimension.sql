-- A dimension table: the members of one hierarchy, numbered so that the leaves under any value are neighbours.
--
-- ancestors    one star/ancestor per level, as ancestor_0, ancestor_1, …
-- levels       level_0, level_1, …
-- top_to_leaf  the same columns from the top down
-- members      the hierarchy's members
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
        cast(row_number() over (order by {top_to_leaf}) - 1 as uinteger) as code,
        *
    from {members}
)
