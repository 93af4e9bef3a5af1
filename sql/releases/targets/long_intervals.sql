-- True if an interval has more hours than a 64-bit number of nanoseconds can express: Arrow's intervals would overflow.
--
-- column   the column of intervals
-- release  the statement with the rows
--
-- One row.
select coalesce(bool_or(abs(extract(hour from {column})) >= 2562047), false)
from {release}
