-- The leaves of a numeric attribute by their numbers.
--
-- table  the dimension table
--
-- One row per leaf, in order; number is the same for leaves with different texts that are equal as numbers.
select dense_rank() over (order by number nulls last) as number
from {table}
order by code
