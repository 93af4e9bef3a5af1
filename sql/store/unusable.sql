-- Number of a floating-point column's values that differ between databases.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be distinguished safely.
select
    count(*) filter (where isnan({column})) as nan,
    count(*) filter (where isinf({column})) as infinite,
    count(*) filter (where {column} = 0 and signbit({column})) as negative_zero
from {source}
