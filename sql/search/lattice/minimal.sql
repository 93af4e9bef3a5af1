-- The minimal k-anonymous nodes: none beneath them is k-anonymous.
--
-- anonymous   the k-anonymous nodes: id (the number in the lattice), levels, height
-- attributes  the steps of the lattice
--
-- One row per minimal node, in the order of height and levels.
select node.id
from {anonymous} as node
anti join (
    select beneath.id + attribute.stride as id
    from {anonymous} as beneath
    join {attributes} as attribute
        on beneath.levels[attribute.position] < attribute.height
) as covered
    on covered.id = node.id
order by
    node.height,
    node.levels
