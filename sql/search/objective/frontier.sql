-- Where a better node may still be: the direct generalizations of nodes whose bound beats the best cost.
--
-- $best       the best cost so far
-- scored      node, bound, cost of the nodes scored so far
-- nodes       the k-anonymous nodes
-- attributes  the steps of the lattice
--
-- One row per node not scored yet. A bound never falls upward, so what is left out cannot beat the best.
select
    node.id,
    node.levels
from {nodes} as node
semi join (
    select beneath.id + attribute.stride as id
    from {nodes} as beneath
    semi join (
        select node
        from {scored}
        where round(bound, 12) < $best
    ) as promising
        on promising.node = beneath.id
    join {attributes} as attribute
        on beneath.levels[attribute.position] < attribute.height
) as above
    on above.id = node.id
anti join {scored} as done
    on done.node = node.id
