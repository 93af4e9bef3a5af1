-- Progress of the loop.
--
-- violating  the condition for a violating class
-- classes    the classes
--
-- One row: the classes, the violating ones, and all rows.
select
    count(*) as classes,
    count(*) filter (where {violating}) as small,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {classes}
