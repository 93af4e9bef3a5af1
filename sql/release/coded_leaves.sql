-- The leaves that the source has, as texts, with their codes and their values at every level.
--
-- levels  the level columns
-- table   the dimension table
--
-- One row per leaf.
select
    cast(value as varchar) as value,
    code,
    {levels}
from {table}
where present
order by code
