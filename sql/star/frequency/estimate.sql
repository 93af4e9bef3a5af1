-- Estimated number of value groups of a node.
--
-- levels  the star's columns with the codes at the node's levels
-- star    the star: the base frequency set with codes in place of values
--
-- One row.
select approx_count_distinct(hash({levels})) as groups
from {star}
