-- The generalization relation: the ancestors of all members at all levels of all dimensions.
--
-- dimensions  one #dimension per attribute
--
-- One row per member and level. loss is the share (0 … 1) of the dimension's other leaves covered by the ancestor.
-- modified is true if the text at the level differs from the text of the leaf.
with
climbs as materialized (
    {dimensions}
),
counted as (
    select
        dimension,
        level,
        ancestor,
        count(*) as leaves
    from climbs
    group by
        dimension,
        level,
        ancestor
)
select
    climbs.dimension,
    climbs.level,
    climbs.code,
    climbs.ancestor,
    coalesce((counted.leaves - 1) / nullif(climbs.members - 1, 0), 0) as loss,
    climbs.modified
from climbs
join counted using (dimension, level, ancestor)

-- section: dimension
-- The levels of one dimension, as rows.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- levels     the number of levels, including the leaves
-- ancestors  the ancestor columns of the levels, from the leaves on
-- modified   one #modified or #one_modified per level: true if the level changes the leaf
-- table      the dimension table of the attribute: codes and texts at every level
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
-- True if a member's text at a level differs from the text of its leaf.
--
-- name  the level's column
-- leaf  the text of the leaf
{name} is distinct from {leaf}

-- section: one_modified
-- True if the text at a level differs from the text of any leaf merged by the lowest level. The star does not
-- distinguish merged leaves.
--
-- name  the level's column
-- leaf  the text of the leaf
bool_or({name} is distinct from {leaf}) over (partition by ancestor_0)
