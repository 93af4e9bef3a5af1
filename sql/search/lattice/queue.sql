-- The queue of Figure 8 at one height: roots, and direct generalizations of nodes found not k-anonymous, unless a
-- k-anonymous node has marked them.
--
-- $height  the height
-- nodes    C of this iteration
-- edges    E of this iteration
-- checked  the nodes checked so far, with their verdict
--
-- One row per node to check. beneath is the parent to roll up from, the one with the fewest value groups; a root has
-- none. Only direct generalizations are marked, as the figure says: a node above a marked one may be checked again.
select
    node.id as node,
    node.dimensions,
    node.levels,
    arg_min(edge.start_id, (parent.groups, edge.start_id)) filter (where not parent.anonymous) as beneath,
    min(parent.groups) filter (where not parent.anonymous) as groups
from {nodes} as node
left join {edges} as edge
    on edge.end_id = node.id
left join {checked} as parent
    on parent.node = edge.start_id
where node.height = $height
group by all
having (count(edge.start_id) = 0 or bool_or(not parent.anonymous))
    and not coalesce(bool_or(parent.anonymous), false)

-- section: agenda
-- The queue with all columns for a statement about each node.
--
-- queue  the nodes to check
-- nodes  C of this iteration
--
-- One row per node; a root has no node beneath, hence no levels of it.
select
    queue.node,
    queue.dimensions,
    queue.levels,
    queue.beneath,
    beneath.levels as levels_beneath,
    queue.groups
from {queue} as queue
left join {nodes} as beneath
    on beneath.id = queue.beneath
order by queue.node
