-- Estimated number of value groups of a node.
--
-- levels  its level columns
-- star    the star
--
-- One row.
select approx_count_distinct(hash({levels})) as groups
from {star}
