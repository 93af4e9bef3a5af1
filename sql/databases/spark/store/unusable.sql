-- Numbers of special values of a floating-point column, which databases treat differently.
--
-- column  the column
-- source  the source
--
-- One row: numbers of NaNs, infinities and negative zeros. Such values of a quasi-identifier cannot be distinguished
-- safely.
select
    count(case when isnan({column}) then 1 end) as nan,
    count(case when cast({column} as string) in ('Infinity', '-Infinity') then 1 end) as infinite,
    count(case when cast({column} as string) = '-0.0' then 1 end) as negative_zero
from {source} as source
