-- Number of a floating-point column's values that differ between databases.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be distinguished safely.
select
    count(*) filter (where {column} = 'NaN') as nan,
    count(*) filter (where {column} in ('Infinity', '-Infinity')) as infinite,
    count(*) filter (where cast({column} as text) = '-0') as negative_zero
from {source} as source
