-- How far the loop has come.
--
-- violating  the condition that a class violates the requirement
-- classes    the classes
--
-- One row: the classes, those that violate it, and all rows.
select
    count(*) as classes,
    count(*) filter (where {violating}) as small,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {classes}
