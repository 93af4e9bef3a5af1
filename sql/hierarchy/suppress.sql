-- Members of a hierarchy with * as the only level above the leaf.
--
-- levels  hierarchy/top, as level_1
-- domain  the attribute's values
--
-- One row per value.
select
    true as present,
    value,
    cast(value as varchar) as level_0,
    {levels}
from {domain}
