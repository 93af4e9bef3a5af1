-- The best node so far.
--
-- scored  node, bound, cost of the nodes scored so far
-- nodes   the k-anonymous nodes
--
-- One row: the least cost; the lower node and then the first in the order of levels where several have it.
select
    node.id,
    node.levels,
    round(scored.cost, 12) as cost
from {scored} as scored
join {nodes} as node
    on node.id = scored.node
order by
    round(scored.cost, 12),
    node.height,
    node.levels
limit 1
