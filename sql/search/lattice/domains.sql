-- C1: the domains of every attribute's generalization hierarchy, the least general first.
--
-- generalization  the generalization relation
--
-- One row per attribute and level.
select
    cast(row_number() over (order by dimension, level) as integer) as id,
    [dimension] as dimensions,
    [level] as levels,
    cast(level as integer) as height,
    cast(null as integer) as parent_1,
    cast(null as integer) as parent_2
from (
    select distinct
        dimension,
        level
    from {generalization}
)
