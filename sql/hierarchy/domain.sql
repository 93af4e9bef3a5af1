-- The values of one quasi-identifier.
--
-- value  its column of the base frequency set
-- base   the base frequency set
--
-- One row per distinct value, the missing one included.
select distinct {value} as value
from {base}
