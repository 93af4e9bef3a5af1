-- Numbers of special values of a floating-point column, which databases treat differently.
--
-- column  the column
-- source  the source
--
-- One row: numbers of NaNs, infinities and negative zeros. Such values of a quasi-identifier cannot be distinguished
-- safely.
select
    count(*) filter (where {column} = 'NaN') as nan,
    count(*) filter (where {column} in ('Infinity', '-Infinity')) as infinite,
    count(*) filter (where cast({column} as text) = '-0') as negative_zero
from {source} as source
