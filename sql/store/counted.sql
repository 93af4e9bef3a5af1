-- Totals of classes (rows of a GROUP BY), counted by the host of the classes.
--
-- classes  the relation with the classes
-- size     the column with the number of rows in a class
--
-- One row: number of classes, smallest size, and number of rows in all classes.
select
    count(*) as told_classes,
    min({size}) as told_smallest,
    cast(coalesce(sum({size}), 0) as bigint) as told_rows
from {classes}

-- section: told
-- Classes, each with the totals of all classes: number of classes, smallest size, number of rows. One statement yields
-- both, so a recount in the working store reveals classes lost, doubled or merged in the transfer.
--
-- rows  the statement with the classes
-- size  the column with the number of rows in a class
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
