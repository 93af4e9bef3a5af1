-- The number of every node of the lattice.
--
-- size  how many there are
--
-- One row per node.
select range as number
from range({size})
