-- Where a better node may still be: the direct generalizations of nodes whose bound beats the best cost.
--
-- $best   the best cost so far
-- scored  node, bound, cost of the nodes scored so far
-- edges   the direct generalizations among k-anonymous nodes
-- nodes   the k-anonymous nodes
--
-- One row per node not scored yet. A bound never falls upward, so what is left out cannot beat the best.
select distinct
    node.id,
    node.dimensions,
    node.levels
from {edges} as edge
semi join (
    select node
    from {scored}
    where round(bound, 12) < $best
) as promising
    on promising.node = edge.start_id
join {nodes} as node
    on node.id = edge.end_id
anti join {scored} as done
    on done.node = node.id
