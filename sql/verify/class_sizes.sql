-- Number of equivalence classes of each size (number of rows).
--
-- classes  the classes, with their sizes: staged classes, or a statement in brackets
--
-- One row per size.
select
    size,
    count(*) as classes
from {classes}
group by size
order by size
