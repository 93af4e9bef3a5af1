-- How many of the rows that are not left out so far have each sensitive value.
--
-- merged  one privacy/added per value
-- groups  recoding/staying
--
-- One row.
select
    {merged}
from {groups}
