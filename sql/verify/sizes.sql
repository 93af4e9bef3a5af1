-- The classes of a table over some of its columns, each with its rows.
--
-- values    the columns, as value_1, value_2, …
-- relation  the table
-- names     the columns
--
-- One row per class. Missing values of a column are equal to each other and to nothing else.
select
    {values},
    count(*) as size
from {relation}
group by {names}
