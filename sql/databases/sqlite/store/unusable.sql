-- Number of a floating-point column's values that differ between databases. SQLite keeps no NaN.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be distinguished safely.
select
    0 as nan,
    count(*) filter (where {column} in (9e999, -9e999)) as infinite,
    count(*) filter (where {column} = 0 and starcloak_real({column}) = '-0x0.0p+0') as negative_zero
from {source} as source
