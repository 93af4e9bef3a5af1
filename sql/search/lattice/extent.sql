-- The heights and numbers of a set of nodes.
--
-- nodes  the nodes
--
-- One row; all are missing where there is no node.
select
    min(height) as lowest,
    max(height) as highest,
    max(id) as last_id
from {nodes}
