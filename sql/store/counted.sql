-- Totals of classes, counted in their database.
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

-- section: told
-- Classes and, beside each, the database's own totals: number of classes, smallest size, number of all rows. One
-- statement, so that no class is lost, doubled or merged unseen on the way to the working store.
--
-- rows  the statement with the classes
-- size  their sizes
--
-- One row per class.
with classes as materialized (
    {rows}
)
select
    *,
    (select count(*) from classes) as told_classes,
    (select min({size}) from classes) as told_smallest,
    (select cast(sum({size}) as bigint) from classes) as told_rows
from classes
