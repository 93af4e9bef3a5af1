-- Nodes of the lattice, from their numbers.
--
-- levels   one #level per attribute
-- numbers  the numbers of the nodes in the lattice, as number
--
-- One row per node.
select
    id,
    levels,
    cast(list_sum(levels) as integer) as height
from (
    select
        cast(number as bigint) as id,
        [{levels}] as levels
    from (
        {numbers}
    )
)

-- section: level
-- An attribute's level at a node, from the node's number in the lattice.
--
-- stride  the attribute's stride
-- levels  the number of levels of the attribute
cast(number // {stride} % {levels} as utinyint)

-- section: every
-- The number of every node of the lattice.
--
-- size  the number of nodes
--
-- One row per node.
select range as number
from range({size})

-- section: marked
-- The numbers of the k-anonymous nodes.
--
-- $nodes  the number of nodes of the lattice
-- $marks  a bit per node, in the order of their numbers: 1 for a k-anonymous node
--
-- One row per k-anonymous node.
select range as number
from range($nodes)
where get_bit(cast(cast($marks as blob) as bit), cast(range as integer)) = 1

-- section: numbers
-- The numbers in the lattice of nodes over the whole quasi-identifier.
--
-- nodes       the nodes: id, levels
-- attributes  the steps of the lattice
--
-- One row per node.
select cast(sum(node.levels[attribute.position] * attribute.stride) as bigint) as number
from {nodes} as node
cross join {attributes} as attribute
group by node.id

-- section: single
-- The number of the found node, if any.
--
-- $number  the number of the node, or missing
--
-- One row, or none.
select cast($number as bigint) as number
where $number is not null

-- section: by_height
-- The numbers of nodes, the lowest first.
--
-- nodes  the nodes
--
-- One row per node, by height and levels.
select id
from {nodes}
order by
    height,
    id

-- section: extent
-- The heights of a set of nodes.
--
-- nodes  the nodes
--
-- One row; both columns are missing without a node.
select
    min(height) as lowest,
    max(height) as highest
from {nodes}

-- section: at_height
-- Some nodes of one height, by number.
--
-- $height  the height
-- $after   the number before the first one
-- $page    the highest number of rows
-- nodes    every node
--
-- One row per node, in order.
select id
from (
    {nodes}
)
where height = $height
    and id > $after
order by id
limit $page
