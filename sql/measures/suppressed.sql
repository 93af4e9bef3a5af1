-- How many rows a recoding suppresses.
--
-- recoding  the recoding
--
-- One row.
select cast(coalesce(sum(frequency) filter (where suppressed), 0) as bigint) as rows
from {recoding}
