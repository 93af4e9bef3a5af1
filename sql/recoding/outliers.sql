-- The value groups of a node that are suppressed.
--
-- $k           the smallest allowed value group
-- value_group  the node's level columns of the star
-- star         the star
--
-- One row per value group of fewer than k rows.
select
    {value_group}
from {star}
group by all
having sum(frequency) < $k
