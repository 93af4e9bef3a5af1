-- How many regions there are in the end.
--
-- settled  search/mondrian/settled
--
-- One row.
select count(distinct region)
from {settled}
