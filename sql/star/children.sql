-- Largest number of values of a level with a common parent at the next level. The digits of a path must distinguish
-- these values.
--
-- dimension  the attribute's position
-- level      the level
-- below      the ancestor column of the level
-- above      the ancestor column of the next level
-- table      the dimension table of the attribute: codes and texts at every level
--
-- One row.
select
    {dimension} as dimension,
    {level} as level,
    max(children) as children
from (
    select count(distinct {below}) as children
    from {table}
    group by {above}
)
