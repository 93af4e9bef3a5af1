-- Whether intervals have more hours than their nanoseconds have numbers of 64 bits: Arrow counts these, and overflows.
--
-- column   the column of intervals
-- release  the statement that yields the rows
--
-- One row.
select coalesce(bool_or(abs(extract(hour from {column})) >= 2562047), false)
from ({release})
