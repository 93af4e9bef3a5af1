-- The whole lattice as the node relation of one generalization graph.
--
-- nodes  every node
--
-- One row per node.
select
    id,
    range(1, len(levels) + 1) as dimensions,
    levels,
    height
from (
    {nodes}
)

-- section: raises
-- The direct generalizations in the whole lattice: one attribute rises by one level.
--
-- nodes       the lattice
-- attributes  the steps of the lattice
--
-- One row per edge.
select
    node.id as start_id,
    node.id + attribute.stride as end_id
from {nodes} as node
join {attributes} as attribute
    on node.levels[attribute.position] < attribute.height
