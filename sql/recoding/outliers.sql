-- The value groups of a node that are suppressed.
--
-- $k      the smallest allowed value group
-- values  the node's level columns of the star, as value_1, value_2, …
-- star    the star
--
-- One row per value group of fewer than k rows.
select
    {values}
from {star}
group by all
having sum(frequency) < $k
