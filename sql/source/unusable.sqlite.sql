-- How many values of a floating-point quasi-identifier cannot be told apart safely: infinities, negative zero. SQLite
-- keeps no NaN.
--
-- column  the quasi-identifier
-- source  the source
--
-- One row.
select count(*) as unusable
from {source} as source
where {column} in (9e999, -9e999)
    or ({column} = 0 and starcloak_real({column}) = '-0x0.0p+0')
