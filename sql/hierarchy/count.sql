-- How many lines a hierarchy has.
--
-- declared  its lines
--
-- One row.
select count(*) as lines
from {declared}
