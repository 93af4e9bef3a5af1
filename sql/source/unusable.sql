-- How many values of a floating-point quasi-identifier cannot be told apart safely: NaN, infinities, negative zero.
--
-- column  the quasi-identifier
-- source  the source
--
-- One row.
select count(*) as unusable
from {source}
where isnan({column})
    or isinf({column})
    or ({column} = 0 and signbit({column}))
