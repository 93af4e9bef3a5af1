-- The rank of each leaf of a numeric attribute, from 1 for the smallest number.
--
-- table  the dimension table of the attribute: codes and texts at every level
--
-- One row per leaf, in the order of the codes. Leaves with different texts that are equal as numbers have one rank.
select dense_rank() over (order by number nulls last) as number
from {table}
order by code
