-- How many rows are alone by some columns together.
--
-- place  tells the columns from others, in one statement with which they are asked
-- rows   the rows
-- names  the columns
--
-- One row: the place, and the rows.
select
    {place} as place,
    count(*) filter (where size = 1) as alone
from (
    select count(*) as size
    from {rows}
    group by {names}
)
