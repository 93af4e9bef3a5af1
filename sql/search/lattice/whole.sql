-- The whole lattice as the node relation of one generalization graph.
--
-- nodes     search/lattice/nodes of every node
-- grouping  the number of a node's frequency set: one #grouped per attribute, added up
--
-- One row per node.
select
    id,
    range(1, len(levels) + 1) as dimensions,
    levels,
    height,
    {grouping} as grouping
from (
    {nodes}
)

-- section: grouped
-- The amount added by an attribute's level to the number of a frequency set.
--
-- position  the attribute's position
-- stride    the amount for one level
levels[{position}] * cast({stride} as bigint)

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
