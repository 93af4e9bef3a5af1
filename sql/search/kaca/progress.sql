-- Progress of the rounds.
--
-- violating  the condition for a violating class
-- classes    the equivalence classes so far
--
-- One row: the number of classes, of violating classes, and of rows in all classes.
select
    count(*) as classes,
    count(*) filter (where {violating}) as small,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {classes}
