-- How many offers, mergers or outliers there are.
--
-- relation  the relation
--
-- One row.
select count(*) as rows
from {relation}
