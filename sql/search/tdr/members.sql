-- The tree of a hierarchy.
--
-- ancestors  ancestor_0, ancestor_1, …
-- repeated   one search/tdr/repeated per level above the leaves, as repeated_1, repeated_2, …
-- table      the dimension table
--
-- One row per leaf, in order.
select
    {ancestors},
    {repeated}
from {table}
order by code
