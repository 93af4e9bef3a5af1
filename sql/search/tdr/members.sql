-- The tree of a hierarchy.
--
-- ancestors  ancestor_0, ancestor_1, …
-- repeated   one #repeated per level above the leaves, as repeated_1, repeated_2, …
-- table      the dimension table
--
-- One row per leaf, in order.
select
    {ancestors},
    {repeated}
from {table}
order by code

-- section: repeated
-- True if a level has the same text as the one beneath it: a leaf near the top is padded in this way.
--
-- text     the level
-- beneath  the level beneath it
{text} is not distinct from {beneath}
