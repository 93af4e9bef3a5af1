-- A cut with a level of its own for every leaf.
--
-- $dimensions  the attribute's position of each leaf
-- $codes       its code
-- $levels      its level
--
-- One row per leaf of every attribute.
select
    unnest($dimensions) as dimension,
    unnest($codes) as code,
    unnest($levels) as level

-- section: members
-- The ancestors of the leaves of one attribute.
--
-- ancestors  ancestor_0, ancestor_1, …
-- table      the dimension table
--
-- One row per leaf, in order.
select
    {ancestors}
from {table}
order by code
