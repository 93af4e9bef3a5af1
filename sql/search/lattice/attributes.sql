-- The steps of the lattice: what raising an attribute by one level adds to a node's number.
--
-- $strides  one per attribute
-- $heights  the heights of the hierarchies
--
-- One row per attribute.
select
    unnest(range(1, len(cast($strides as bigint[])) + 1)) as position,
    unnest(cast($strides as bigint[])) as stride,
    unnest(cast($heights as integer[])) as height
