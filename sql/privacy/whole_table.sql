-- Whether all rows together violate a privacy model.
--
-- violating  the condition that a value group does
-- merged     star/frequency/rollup#counted, and one privacy/aggregates#merged per sensitive attribute that is carried
-- facts      the star
--
-- One row.
select {violating} as violated
from (
    select
        {merged}
    from {facts}
)
