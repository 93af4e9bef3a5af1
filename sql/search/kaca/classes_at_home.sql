-- The classes as they come home, to be sorted there.
--
-- columns    what a class is: its values, how far they are from the leaves, and its rows
-- violating  the condition that a class violates the requirement
-- classes    the classes
--
-- One row per class, in the order of their numbers.
select
    id,
    {columns},
    {violating} as small
from {classes}
order by id
