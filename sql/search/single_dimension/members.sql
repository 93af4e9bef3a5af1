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
