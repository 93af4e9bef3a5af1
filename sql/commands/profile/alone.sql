-- Number of rows that are alone by some columns together.
--
-- place  identifies the columns among others of the same statement
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
