-- The leaves of a numeric attribute by their numbers.
--
-- table  the dimension table
--
-- One row per leaf, in order; number is the same for leaves that read differently and are equal as numbers.
select dense_rank() over (order by number nulls last) as number
from {table}
order by code
