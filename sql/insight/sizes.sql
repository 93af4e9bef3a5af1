-- How many classes of a release have how many rows.
--
-- classes  its classes: size
--
-- One row per size.
select
    size,
    count(*) as classes
from {classes}
group by size
order by size
