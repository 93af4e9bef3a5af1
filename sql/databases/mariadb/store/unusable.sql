-- Numbers of special values of a floating-point column, which databases treat differently. MariaDB keeps neither NaN
-- nor infinities.
--
-- column  the column
-- source  the source
--
-- One row: numbers of NaNs, infinities and negative zeros. Such values of a quasi-identifier cannot be distinguished
-- safely.
select
    0 as nan,
    0 as infinite,
    count(case when cast({column} as char) = '-0' then 1 end) as negative_zero
from {source} as source
