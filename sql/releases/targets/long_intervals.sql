-- True if intervals have more hours than 64-bit nanoseconds can count: Arrow counts these, and overflows.
--
-- column   the column of intervals
-- release  the statement with the rows
--
-- One row.
select coalesce(bool_or(abs(extract(hour from {column})) >= 2562047), false)
from ({release})
