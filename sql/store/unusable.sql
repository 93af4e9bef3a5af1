-- Numbers of special values of a floating-point column, which databases treat differently.
--
-- column  the column
-- source  the source
--
-- One row: numbers of NaNs, infinities and negative zeros. Such values of a quasi-identifier cannot be distinguished
-- safely.
select
    count(*) filter (where isnan({column})) as nan,
    count(*) filter (where isinf({column})) as infinite,
    count(*) filter (where {column} = 0 and signbit({column})) as negative_zero
from {source}
