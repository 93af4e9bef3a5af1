-- How many regions there are in the end.
--
-- settled  mondrian/settled
--
-- One row.
select count(distinct region)
from {settled}
