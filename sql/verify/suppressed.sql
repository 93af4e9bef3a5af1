-- Number of a staged release's rows with the top of the hierarchy in a column.
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
