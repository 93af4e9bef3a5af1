-- The rows of a table, a view or a registered frame.
--
-- relation  its name
--
-- One row per row of the relation.
select *
from {relation}
