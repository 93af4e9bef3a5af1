-- Number of classes of a release by number of rows.
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
