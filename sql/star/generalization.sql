-- One level of one dimension, as rows.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- level      the level, 0 for the leaves
-- ancestor   the level's ancestor column
-- table      the dimension table
--
-- One row per member; leaves counts the leaves under its ancestor.
select
    cast({dimension} as utinyint) as dimension,
    cast({level} as utinyint) as level,
    code,
    {ancestor} as ancestor,
    count(*) over (partition by {ancestor}) as leaves
from {table}
