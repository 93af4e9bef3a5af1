-- Number of a floating-point column's values that differ between databases.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be distinguished safely.
select
    count(case when isnan({column}) then 1 end) as nan,
    count(case when cast({column} as string) in ('Infinity', '-Infinity') then 1 end) as infinite,
    count(case when cast({column} as string) = '-0.0' then 1 end) as negative_zero
from {source} as source
