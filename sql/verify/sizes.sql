-- The classes of a table over some of its columns, each with its rows, counted where the table is. Of a staged release,
-- it is the one statement that reads the generalized columns back.
--
-- values    the columns, as value_1, value_2, …; where it is asked for, store/checksum as checksum
-- relation  the table, as relation
-- names     the columns, as they are grouped
--
-- One row per class. Missing values of a column are equal to each other and to nothing else.
select
    {values},
    count(*) as size
from {relation} as relation
group by {names}
