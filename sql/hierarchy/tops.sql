-- How many values the last level has.
--
-- top       the last level's column
-- declared  the hierarchy's lines
--
-- One row. count(distinct …) would not count a missing value.
select count(*) as tops
from (
    select distinct {top}
    from {declared}
)
