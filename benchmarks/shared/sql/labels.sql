-- The label of each value of an attribute at one level.
--
-- label  the dimension table's column with the texts of the level
-- table  the dimension table
--
-- One row per value.
select
    value,
    {label} as label
from {table}
where present
