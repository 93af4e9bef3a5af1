-- The numbers in the lattice of nodes over the whole quasi-identifier.
--
-- nodes       the nodes: id, levels
-- attributes  the steps of the lattice
--
-- One row per node.
select cast(sum(node.levels[attribute.position] * attribute.stride) as bigint) as number
from {nodes} as node
cross join {attributes} as attribute
group by node.id
