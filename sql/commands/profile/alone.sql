-- Number of rows with a combination of values of some columns that is in no other row.
--
-- place  identifies the columns among others of the same statement
-- rows   the rows
-- names  the columns
--
-- One row: the place, and the number of such rows.
select
    {place} as place,
    count(*) filter (where size = 1) as alone
from (
    select count(*) as size
    from {rows}
    group by {names}
)
