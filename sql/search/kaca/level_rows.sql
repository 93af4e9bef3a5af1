-- How the values of one attribute are spread over the levels (Definition 12).
--
-- dimension  the attribute's position
-- level      its level column
-- classes    the classes
--
-- One row per level that has values.
select
    {dimension} as dimension,
    {level} as level,
    cast(sum(frequency) as bigint) as rows
from {classes}
group by all
