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
