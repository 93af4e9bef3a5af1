-- How many nodes there are.
--
-- nodes  the nodes
--
-- One row.
select count(*) as nodes
from {nodes}
