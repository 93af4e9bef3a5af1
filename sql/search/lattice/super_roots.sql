-- The super-roots (section 3.3.1). The roots of a subset of the attributes have no node beneath in the graph. Their
-- super-root has the lowest level of each attribute among them.
--
-- top     the number of the frequency set without any attribute
-- lowest  the level of each attribute: #lowest, or #ground for the subset's node without generalization
-- queue   search/lattice/queue#new: the roots
-- nodes   C of this iteration: the candidate nodes
-- places  star/rollups/packed#places
--
-- One row per frequency set of a root: node is its number, source the number of the super-root's frequency set.
with roots as (
    select node.*
    from {nodes} as node
    semi join {queue} as root
        on root.node = node.id
),

families as (
    select
        dimensions,
        cast({top} + sum((level - (place.levels - 1)) * place.stride) as bigint) as source
    from (
        select
            dimensions,
            dimension,
            {lowest} as level
        from (
            select
                dimensions,
                unnest(dimensions) as dimension,
                unnest(levels) as level
            from roots
        )
        group by
            dimensions,
            dimension
    )
    join {places} as place using (dimension)
    group by dimensions
)
select distinct
    root.grouping as node,
    family.source
from roots as root
join families as family using (dimensions)

-- section: lowest
-- The lowest level of an attribute among the roots of a subset.
min(level)

-- section: ground
-- The level of the leaves.
0

-- section: sources
-- The frequency sets of the super-roots, each to be rolled up from the star.
--
-- targets  the roots and their super-roots
--
-- One row per frequency set.
select distinct
    source as node,
    cast(0 as bigint) as source
from {targets}

-- section: families
-- Subsets of the attributes with several roots, which share a super-root.
--
-- queue  the queue with the roots
-- nodes  C of this iteration: the candidate nodes
--
-- One row: the number of such subsets, and the number of their roots.
select
    count(*) as families,
    cast(coalesce(sum(roots), 0) as bigint) as roots
from (
    select count(*) as roots
    from {nodes} as node
    semi join {queue} as root
        on root.node = node.id
    group by dimensions
    having count(*) > 1
)

-- section: subsets
-- The subsets of the attributes with a root.
--
-- queue  search/lattice/queue#new: the roots
-- nodes  C of this iteration: the candidate nodes
--
-- One row per subset, in order.
select distinct dimensions
from {nodes} as node
semi join {queue} as root
    on root.node = node.id
order by dimensions
