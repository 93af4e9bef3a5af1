-- The numbers of the nodes among which the objective chooses.
--
-- nodes  the k-anonymous nodes
--
-- One row per node.
select id
from {nodes}
