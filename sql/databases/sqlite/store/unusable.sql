-- Numbers of special values of a floating-point column, which databases treat differently. SQLite keeps no NaN.
--
-- column  the column
-- source  the source
--
-- One row: numbers of NaNs, infinities and negative zeros. Such values of a quasi-identifier cannot be distinguished
-- safely.
select
    0 as nan,
    count(*) filter (where {column} in (9e999, -9e999)) as infinite,
    count(*) filter (where {column} = 0 and starcloak_real({column}) = '-0x0.0p+0') as negative_zero
from {source} as source
