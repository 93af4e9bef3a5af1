-- Number of a floating-point column's values that differ between databases. MariaDB keeps neither NaN nor infinities.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be distinguished safely.
select
    0 as nan,
    0 as infinite,
    count(case when cast({column} as char) = '-0' then 1 end) as negative_zero
from {source} as source
