-- Whether the source has rows without a value of a quasi-identifier.
--
-- value  its column of the base frequency set
-- base   the base frequency set
--
-- One row.
select coalesce(bool_or({value} is null), false) as missing
from {base}
