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

-- section: told
-- Classes and, beside each, what the database itself says of all of them: how many there are, the smallest size, and
-- the rows of all. One statement, so that whatever brings them elsewhere can lose, double or merge none of them
-- unseen.
--
-- rows  the statement that yields the classes
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
