-- All levels of all dimensions.
--
-- levels  one #level per level of a dimension
--
-- One row per member and level: leaves counts the leaves under its ancestor, loss is the share of the other leaves that
-- the ancestor covers (0 … 1), modified tells whether a cell of this leaf reads differently at the level.
select
    dimension,
    level,
    code,
    ancestor,
    count(*) over (partition by dimension, level, ancestor) as leaves,
    coalesce(
        (count(*) over (partition by dimension, level, ancestor) - 1)
            / nullif(count(*) over (partition by dimension, level) - 1, 0),
        0
    ) as loss,
    modified
from (
    {levels}
)

-- section: level
-- One level of one dimension, as rows.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- level      the level, 0 for the leaves
-- ancestor   the level's ancestor column
-- modified   #modified or #one_modified
-- table      the dimension table
--
-- One row per member.
select
    cast({dimension} as utinyint) as dimension,
    cast({level} as utinyint) as level,
    code,
    {ancestor} as ancestor,
    {modified} as modified
from {table}

-- section: modified
-- Whether a leaf reads otherwise at a level.
--
-- name  the level's column
-- leaf  what the leaf reads
{name} is distinct from {leaf}

-- section: one_modified
-- Whether one of the leaves that are one value at the lowest level does: which of them a cell was is not kept.
--
-- name  the level's column
-- leaf  what the leaf reads
bool_or({name} is distinct from {leaf}) over (partition by ancestor_0)
