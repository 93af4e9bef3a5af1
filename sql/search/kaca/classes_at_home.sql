-- All equivalence classes, to be loaded into memory and sorted there.
--
-- columns    the columns of a class: its values, their distance from the leaves, and its rows
-- violating  the condition for a violating class
-- classes    the equivalence classes so far
--
-- One row per class, in the order of their numbers.
select
    id,
    {columns},
    {violating} as small
from {classes}
order by id
