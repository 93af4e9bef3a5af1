-- The values of a sensitive attribute, numbered from 0. A missing value is none.
--
-- value  its column of the base frequency set
-- base   the base frequency set
--
-- One row per value.
select
    value,
    row_number() over (order by value) - 1 as code
from (
    select distinct {value} as value
    from {base}
    where {value} is not null
)
