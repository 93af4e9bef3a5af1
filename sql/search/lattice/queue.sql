-- The queue of Figure 8 at one height: direct generalizations of nodes found not k-anonymous, unless a k-anonymous node
-- has marked them.
--
-- $iteration  the number of attributes
-- $height     the height
-- nodes       C of this iteration: the candidate nodes
-- edges       E of this iteration: the direct generalizations among the candidate nodes
-- checked     #checked
--
-- One row per node to check. beneath is the frequency set of a parent to roll up from, the one with the fewest value
-- groups. Only direct generalizations are marked, as the figure says: a node above a marked one may be checked again.
select
    parent.iteration,
    node.id as node,
    node.height,
    node.grouping,
    arg_min(parent.grouping, (parent.groups, parent.grouping)) as beneath
from {checked} as parent
join {edges} as edge
    on edge.start_id = parent.node
join {nodes} as node
    on node.id = edge.end_id
where parent.iteration = $iteration
    and parent.height = $height - 1
group by all
having not bool_or(parent.anonymous)

-- section: empty
-- The queue before the search.
--
-- No row; the columns of the queue.
select
    cast(null as utinyint) as iteration,
    cast(null as bigint) as node,
    cast(null as bigint) as height,
    cast(null as bigint) as grouping,
    cast(null as bigint) as beneath
where false

-- section: roots
-- The roots, checked at the beginning of the search: nodes of C without a node of C directly beneath.
--
-- $iteration  the number of attributes
-- nodes       C of this iteration: the candidate nodes
-- edges       E of this iteration: the direct generalizations among the candidate nodes
--
-- One row per root; beneath is missing.
select
    cast($iteration as utinyint) as iteration,
    node.id as node,
    node.height,
    node.grouping,
    cast(null as bigint) as beneath
from {nodes} as node
anti join {edges} as edge
    on edge.end_id = node.id

-- section: new
-- The nodes to check with value groups that were not counted before. An attribute at a top with a single value, or an
-- absent one, changes no value group: such nodes over several subsets of the attributes share a frequency set.
--
-- queue     the queue: all nodes checked so far, and those to check
-- verdicts  search/lattice/verdict: the verdicts so far
--
-- One row per node.
select queue.*
from {queue} as queue
anti join {verdicts} as verdict using (grouping)

-- section: checked
-- The nodes checked so far, with their verdict.
--
-- queue     the queue: all nodes checked so far, and those to check
-- verdicts  search/lattice/verdict: the verdicts so far
--
-- One row per node.
select
    queue.*,
    queue.beneath is null as root,
    verdict.groups,
    verdict.classes,
    verdict.outliers,
    verdict.anonymous
from {queue} as queue
join {verdicts} as verdict using (grouping)

-- section: groupings
-- The numbers of the frequency sets of the nodes to check.
--
-- queue  #new
--
-- One row per frequency set, in order.
select distinct grouping
from {queue}
order by grouping

-- section: from_star
-- The frequency sets of the roots, each to be rolled up from the star.
--
-- queue  #new
--
-- One row per frequency set.
select distinct
    grouping as node,
    cast(0 as bigint) as source
from {queue}

-- section: next
-- The next height that may have nodes to check: above a node that is not k-anonymous.
--
-- $iteration  the number of attributes
-- $height     the last height that was checked
-- $highest    the highest height in C
-- checked     #checked
--
-- One row; height is missing without such a node.
select min(height) + 1 as height
from {checked}
where iteration = $iteration
    and height between $height and $highest - 1
    and not anonymous

-- section: rises
-- The frequency sets of the queue: each with the frequency set to roll up from, and the attribute raised by one level.
--
-- queue   #new
-- places  star/rollups/packed#places
--
-- One row per frequency set. The numbers of a node and its parent differ by the stride of the raised attribute, which
-- no other attribute with several levels has.
select
    1 as step,
    rise.node,
    rise.beneath,
    place.part,
    place.shift,
    place.mask,
    place.offset + rise.node // place.stride % place.levels * place.width as rung
from (
    select
        grouping as node,
        min(beneath) as beneath
    from {queue}
    group by grouping
) as rise
join {places} as place
    on place.stride = rise.node - rise.beneath
    and place.levels > 1
