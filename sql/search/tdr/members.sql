-- The ancestors of every leaf of a hierarchy, and the levels that repeat the text of the level beneath.
--
-- ancestors  ancestor_0, ancestor_1, …
-- repeated   one store/same per level above the leaves and the level beneath it, as repeated_1, repeated_2, …: a leaf
--            near the top is padded with levels of the same text
-- table      the dimension table of the attribute: codes and texts at every level
--
-- One row per leaf, in order.
select
    {ancestors},
    {repeated}
from {table}
order by code
