-- The leaves that the source has, as texts.
--
-- level     the level's column
-- ancestor  the level's ancestor column
-- table     the dimension table
--
-- One row per leaf.
select
    cast(value as varchar) as value,
    {level},
    {ancestor}
from {table}
where present
order by code
