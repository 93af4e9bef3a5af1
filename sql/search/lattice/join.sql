-- Join phase (section 3.1.2): two nodes over i attributes, equal in all attributes but the last, become a node over i +
-- 1 attributes.
--
-- survivors  Si: the k-anonymous nodes of i attributes
-- places     search/lattice/first_graph#places
--
-- One row per candidate node; the prune phase removes some. As dimensions are in order, no candidate occurs twice. Two
-- nodes are equal in all attributes but the last if they come from the same first parent.
select
    p.id + (q.levels[-1] + 1) * place.digit as id,
    list_append(p.dimensions, q.dimensions[-1]) as dimensions,
    list_append(p.levels, q.levels[-1]) as levels,
    p.height + q.levels[-1] as height,
    p.grouping + (q.levels[-1] - (place.levels - 1)) * place.stride as grouping,
    p.id as parent
from {survivors} as p
join {survivors} as q
    on q.parent = p.parent
    and q.dimensions[-1] > p.dimensions[-1]
join {places} as place
    on place.dimension = q.dimensions[-1]
