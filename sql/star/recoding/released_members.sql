-- The hierarchy above the released cells of one attribute.
--
-- cell      the attribute's column of `expected`, such as cell_1
-- expected  star/recoding/generalized or star/recoding/generalized#value_groups
-- paths     one #at_level per level of the cells, or #ranges
--
-- One row per distinct released cell, as level_0. Values beneath a cell are excluded, as suppressed rows may have them.
with cells as materialized (
    select distinct {cell} as cell
    from (
        {expected}
    )
)
select distinct *
from (
    {paths}
)

-- section: at_level
-- The paths of the cells at one level: the cell itself up to that level, and the values above it.
--
-- levels  level_0, level_1, …
-- table   the dimension table of the attribute: codes and texts at every level
-- level   the column with the level's texts
--
-- One row per member under a cell.
select {levels}
from {table} as member
join cells
    on cells.cell is not distinct from member.{level}

-- section: ranges
-- The paths of cells in an attribute with ranges absent from its dimension table: the cell itself at all levels below
-- the top, and the top.
--
-- levels  level_0, level_1, …
-- table   the dimension table of the attribute: codes and texts at every level
-- top     the column of its highest level
--
-- One row per cell.
select {levels}
from cells
cross join (
    select min({top}) as {top}
    from {table}
) as member
