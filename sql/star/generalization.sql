-- All levels of all dimensions.
--
-- dimensions  one #dimension per attribute
--
-- One row per member and level: leaves counts the leaves under its ancestor, loss is the share of the other leaves
-- covered by the ancestor (0 … 1), modified is true if a cell of this leaf has another text at the level.
select
    dimension,
    level,
    code,
    ancestor,
    count(*) over (partition by dimension, level, ancestor) as leaves,
    coalesce(
        (count(*) over (partition by dimension, level, ancestor) - 1)
            / nullif(members - 1, 0),
        0
    ) as loss,
    modified
from (
    {dimensions}
)

-- section: dimension
-- The levels of one dimension, as rows.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- levels     how many levels it has
-- ancestors  the ancestor columns of the levels, from the leaves on
-- modified   one #modified or #one_modified per level
-- table      the dimension table
--
-- One row per member and level.
select
    cast({dimension} as utinyint) as dimension,
    cast(unnest(range({levels})) as utinyint) as level,
    code,
    unnest([{ancestors}]) as ancestor,
    unnest([{modified}]) as modified,
    (select count(*) from {table}) as members
from {table}

-- section: modified
-- True if a leaf has another text at a level.
--
-- name  the level's column
-- leaf  the text of the leaf
{name} is distinct from {leaf}

-- section: one_modified
-- True if one of the leaves merged by the lowest level does: the leaf of a cell is not kept.
--
-- name  the level's column
-- leaf  the text of the leaf
bool_or({name} is distinct from {leaf}) over (partition by ancestor_0)
