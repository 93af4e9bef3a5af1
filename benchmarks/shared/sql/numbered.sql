-- Some columns of a census, every person with a place to be drawn by.
--
-- columns  the columns
-- census   a relation that has them
--
-- One row per person, counted from 0. Persons who tie are equal in every column, so the places are the same each time.
select
    row_number() over (order by {columns}) - 1 as place,
    {columns}
from {census}
