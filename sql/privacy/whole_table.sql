-- Check of all rows together, as a single class, against the privacy models of a QID.
--
-- violating  the condition for a violating value group
-- merged     the number of rows, and one privacy/aggregates#merged per carried sensitive attribute
-- facts      the star
--
-- One row: true if the class of all rows violates a model.
select {violating} as violated
from (
    select
        {merged}
    from {facts}
)
