-- The values of one quasi-identifier.
--
-- value  the quasi-identifier's column of the base frequency set
-- base   the base frequency set: number of rows per combination of values
--
-- One row per distinct value, the missing one included.
select distinct {value} as value
from {base}
