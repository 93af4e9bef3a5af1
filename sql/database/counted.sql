-- What classes are, counted where they are.
--
-- classes  the classes
-- size     their sizes
--
-- One row: how many there are, the smallest size, and the rows of all.
select
    count(*) as told_classes,
    min({size}) as told_smallest,
    cast(coalesce(sum({size}), 0) as bigint) as told_rows
from {classes}
