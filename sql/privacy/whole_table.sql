-- Check of all rows together against a privacy model.
--
-- violating  the condition for a violating value group
-- merged     the number of rows, and one privacy/aggregates#merged per carried sensitive attribute
-- facts      the star
--
-- One row.
select {violating} as violated
from (
    select
        {merged}
    from {facts}
)
