-- Number of a staged release's rows with a suppressed cell in a column, that is, with the top of the hierarchy.
--
-- cell     verify/recount#cell of the column
-- classes  the staged classes: value_1, value_2, …, size
-- top      the column of the top level
-- table    the attribute's dimension table
--
-- One row.
select cast(coalesce(sum(size), 0) as bigint) as suppressed
from {classes}
where {cell} = (
    select max({top})
    from {table}
)

-- section: missing
-- Number of a recoding's released rows with a suppressed cell in a column that keeps its type. A reader cannot
-- distinguish such a cell from a missing cell of the source.
--
-- $top      the level of suppressed cells
-- recoding  the recoding
-- level     the recoding's column with the level of the cell
--
-- One row. With height 0 no cell is suppressed, and level 0 is the source's own value.
select cast(coalesce(sum(frequency), 0) as bigint) as suppressed
from {recoding}
where not suppressed
    and {level} = $top
    and {level} > 0
