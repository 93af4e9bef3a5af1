-- The minimal k-anonymous nodes: none beneath them is k-anonymous.
--
-- anonymous  the k-anonymous nodes over the whole quasi-identifier: id, levels
-- edges      the direct generalizations among them
--
-- One row per minimal node, in the order of height and levels.
select
    node.id,
    node.levels
from {anonymous} as node
anti join (
    select edge.end_id
    from {edges} as edge
    semi join {anonymous} as beneath
        on beneath.id = edge.start_id
) as covered
    on covered.end_id = node.id
order by
    node.height,
    node.levels
