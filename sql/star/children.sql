-- Largest number of values under one value of the next level: the digits of a path must distinguish them.
--
-- dimension  the attribute's position
-- level      the level
-- below      the level's ancestor column
-- above      the column of the next level
-- table      the dimension table
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
