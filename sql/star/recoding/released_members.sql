-- The hierarchy above the released cells of one attribute.
--
-- cell      its column of `expected`, such as cell_1
-- expected  star/recoding/generalized or star/recoding/generalized#value_groups
-- paths     one #at_level per level of the cells, or #ranges
--
-- One row per released cell, as level_0. No value beneath a cell is there: suppressed rows have such values, too.
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
-- table   the dimension table
-- level   the level's column
--
-- One row per member under a cell.
select {levels}
from {table} as member
join cells
    on cells.cell is not distinct from member.{level}

-- section: ranges
-- The paths of cells that may be ranges of their own, absent from dimension tables: the cell itself up to the top.
--
-- levels  level_0, level_1, …
-- table   the dimension table
-- top     the column of its highest level
--
-- One row per cell.
select {levels}
from cells
cross join (
    select min({top}) as {top}
    from {table}
) as member
