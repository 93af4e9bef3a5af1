-- The values of the table.
--
-- counted  privacy/t_closeness/recount
--
-- One row per value.
select distinct text
from {counted}
