-- Some of the small classes: as many at a time as leave memory for what they are compared with.
--
-- $batch     which of the batches
-- $batches   how many there are
-- rests      how far a class is from the leaves by what a node does not tell apart, as rest_0, rest_1, …
-- violating  the condition that a class violates the requirement
-- classes    the classes
--
-- One row per class.
select
    *,
    {rests}
from {classes}
where {violating}
    and id % $batches = $batch
