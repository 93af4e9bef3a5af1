-- The value groups of a node that are suppressed.
--
-- frequency  the node's frequency set: value_1, value_2, …, frequency, and what is carried beside it
-- values     value_1, value_2, …
-- violating  the condition that a value group violates the requirement
--
-- One row per value group that does.
select
    {values}
from {frequency}
where {violating}
