-- Whether the source has rows without a value of a quasi-identifier.
--
-- domain  the attribute's values
--
-- One row.
select bool_or(value is null) as missing
from {domain}
