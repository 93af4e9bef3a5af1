-- A cut by leaf: the level that each leaf is generalized to, independent of other leaves.
--
-- $dimensions  the attribute's position of each leaf
-- $codes       the code of each leaf
-- $levels      the level of each leaf
--
-- One row per leaf of every attribute.
select
    unnest($dimensions) as dimension,
    unnest($codes) as code,
    unnest($levels) as level

-- section: members
-- The codes of every leaf's ancestors at all levels, for one attribute.
--
-- ancestors  ancestor_0, ancestor_1, …
-- table      the dimension table of the attribute: codes and texts at every level
--
-- One row per leaf, in order.
select
    {ancestors}
from {table}
order by code
