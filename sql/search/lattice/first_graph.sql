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

-- section: places
-- The position of each attribute in the numbers of nodes and of frequency sets.
--
-- $digits  the amount added to a node's number by one level of each attribute
-- places   star/rollups/packed#places
--
-- One row per attribute.
select
    *,
    cast($digits as bigint[])[dimension] as digit
from {places}

-- section: nodes
-- C1: the candidate nodes of single attributes, a node per level of each hierarchy.
--
-- $top            the number of the frequency set without any attribute
-- generalization  the generalization relation: the ancestors of all members
-- places          #places
--
-- One row per attribute and level. id has a digit per attribute: its level + 1, or 0 for an absent attribute.
-- grouping is the number of the node's frequency set, as in star/rollups/rollup. parent is the id without the last
-- attribute.
select
    (level + 1) * place.digit as id,
    [dimension] as dimensions,
    [level] as levels,
    cast(level as bigint) as height,
    cast($top + (level - (place.levels - 1)) * place.stride as bigint) as grouping,
    cast(0 as bigint) as parent
from (
    select distinct
        dimension,
        level
    from {generalization}
) as domain
join {places} as place using (dimension)
