-- The first sum of fingerprint/rows, from the base frequency set.
--
-- tuple  its value columns
-- base   the base frequency set
--
-- One row.
select
    cast(coalesce(sum(frequency), 0) as bigint) as rows,
    cast(coalesce(sum(frequency * cast(hash(hash({tuple})) as hugeint)), 0) as hugeint) as tuples
from {base}
