-- Join phase (section 3.1.2): two nodes over i attributes, equal in all attributes but the last, become a node over i +
-- 1 attributes.
--
-- $last_id   the highest id of a node so far
-- survivors  Si: the k-anonymous nodes of i attributes
-- places     star/rollups/packed#places: one row per attribute, with its step in the numbers of frequency sets
--
-- One row per candidate node; the prune phase removes some. As dimensions are in order, no candidate occurs twice.
select
    cast($last_id + row_number() over (
        order by list_append(p.dimensions, q.dimensions[-1]), list_append(p.levels, q.levels[-1])
    ) as integer) as id,
    list_append(p.dimensions, q.dimensions[-1]) as dimensions,
    list_append(p.levels, q.levels[-1]) as levels,
    cast(p.height + q.levels[-1] as integer) as height,
    p.grouping + (q.levels[-1] - (place.levels - 1)) * place.stride as grouping,
    p.id as parent_1,
    q.id as parent_2
from {survivors} as p
join {survivors} as q
    on p.dimensions[:-2] = q.dimensions[:-2]
    and p.levels[:-2] = q.levels[:-2]
    and p.dimensions[-1] < q.dimensions[-1]
join {places} as place
    on place.dimension = q.dimensions[-1]
