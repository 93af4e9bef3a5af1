-- Number of nodes.
--
-- nodes  the nodes
--
-- One row.
select count(*) as nodes
from {nodes}
