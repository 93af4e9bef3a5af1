-- How many values of a floating-point column databases differ in.
--
-- column  the column
-- source  the source
--
-- One row: NaN, infinities, negative zeros. As quasi-identifiers they cannot be told apart safely.
select
    count(*) filter (where isnan({column})) as nan,
    count(*) filter (where isinf({column})) as infinite,
    count(*) filter (where {column} = 0 and signbit({column})) as negative_zero
from {source}
