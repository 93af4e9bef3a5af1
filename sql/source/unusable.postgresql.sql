-- How many values of a floating-point quasi-identifier cannot be told apart safely: NaN, infinities, negative zero.
--
-- column  the quasi-identifier
-- source  the source
--
-- One row.
select count(*) as unusable
from {source} as source
where {column} in ('NaN', 'Infinity', '-Infinity')
    or cast({column} as text) = '-0'
