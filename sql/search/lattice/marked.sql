-- The numbers of the k-anonymous nodes.
--
-- $nodes  how many nodes the lattice has
-- $marks  a bit per node, in the order of their numbers
--
-- One row per k-anonymous node.
select range as number
from range($nodes)
where get_bit(cast(cast($marks as blob) as bit), cast(range as integer)) = 1
