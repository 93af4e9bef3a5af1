-- A frequency set with the levels above its own.
--
-- node        the number of its node
-- levels      the level columns, such as zip_0, zip_1, …; those of other attributes are null
-- counts      frequency, and carried columns
-- below       frequency sets: node, value_1, value_2, …, frequency
-- dimensions  one #lift per attribute
--
-- One row per value group.
select
    {node} as node,
    {levels},
    {counts}
from {below} as below
{dimensions}
where below.node = {node}

-- section: lift
-- A dimension joined to a frequency set.
--
-- table  the dimension table
-- value  the attribute's column of the frequency set
join {table}
    on {table}.code = below.{value}

-- section: absent
-- A level absent from a frequency set.
cast(null as uinteger)
