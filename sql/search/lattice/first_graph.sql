-- section: attributes
-- The steps of the lattice: the amount added to a node's number by raising an attribute by one level.
--
-- $strides  the stride of each attribute
-- $heights  the height of each attribute's hierarchy
--
-- One row per attribute.
select
    unnest(range(1, len(cast($strides as bigint[])) + 1)) as position,
    unnest(cast($strides as bigint[])) as stride,
    unnest(cast($heights as integer[])) as height

-- section: nodes
-- C1: the candidate nodes of single attributes, a node per level of each hierarchy, the least general first.
--
-- $top            the number of the node without any attribute
-- generalization  the generalization relation: the ancestors of all members
-- places          star/rollups/packed#places: one row per attribute, with its step in the numbers of frequency sets
--
-- One row per attribute and level. grouping is the number of the node's frequency set, as in star/rollups/rollup.
select
    cast(row_number() over (order by dimension, level) as integer) as id,
    [dimension] as dimensions,
    [level] as levels,
    cast(level as integer) as height,
    cast($top + (level - (place.levels - 1)) * place.stride as bigint) as grouping,
    cast(null as integer) as parent_1,
    cast(null as integer) as parent_2
from (
    select distinct
        dimension,
        level
    from {generalization}
) as domain
join {places} as place using (dimension)

-- section: edges
-- E1: each domain and its direct generalization.
--
-- nodes  C1: the candidate nodes of single attributes
--
-- One row per edge.
select
    specific.id as start_id,
    general.id as end_id
from {nodes} as specific
join {nodes} as general
    on general.dimensions = specific.dimensions
    and general.height = specific.height + 1
