-- How many ordered pairs of rows share the value of a column, or the values of two.
--
-- place    tells the columns from others, in one statement with which they are asked
-- rows     the rows
-- columns  the columns
--
-- One row: the place, and the pairs.
select
    {place} as place,
    cast(coalesce(sum(size * (size - 1)), 0) as bigint) as pairs
from (
    select count(*) as size
    from {rows}
    group by {columns}
)

-- section: sample
-- Some rows of a table, as they come.
--
-- columns  the columns that are looked at
-- most     how many rows
-- rows     the table
select {columns}
from {rows} as origin
limit {most}
