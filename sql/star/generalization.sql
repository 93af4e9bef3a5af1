-- One level of one dimension, as rows.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- level      the level, 0 for the leaves
-- name       the level's column
-- ancestor   the level's ancestor column
-- table      the dimension table
--
-- One row per member: leaves counts the leaves under its ancestor, loss is the share of the other leaves that the
-- ancestor covers (0 … 1), modified tells whether a cell of this leaf reads differently at the level.
select
    cast({dimension} as utinyint) as dimension,
    cast({level} as utinyint) as level,
    code,
    {ancestor} as ancestor,
    count(*) over (partition by {ancestor}) as leaves,
    coalesce((count(*) over (partition by {ancestor}) - 1) / nullif(count(*) over () - 1, 0), 0) as loss,
    {name} is distinct from level_0 as modified
from {table}
