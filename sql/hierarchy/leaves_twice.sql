-- How many leaves a hierarchy declares more than once.
--
-- declared  its lines
--
-- One row.
select count(*) as leaves
from (
    select level_0
    from {declared}
    group by level_0
    having count(*) > 1
)
