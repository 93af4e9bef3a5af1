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

-- section: told, dialect: mariadb
-- Classes and, beside each, what the database itself says of all of them: how many there are, the smallest size, and
-- the rows of all. One statement, so that whatever brings them elsewhere can lose, double or merge none of them
-- unseen. A common table expression would be computed once for each place that names it.
--
-- rows  the statement that yields the classes
-- size  their sizes
--
-- One row per class.
select
    *,
    count(*) over () as told_classes,
    min({size}) over () as told_smallest,
    cast(sum({size}) over () as signed) as told_rows
from (
    {rows}
) as classes

-- section: told, dialect: spark
-- Classes and, beside each, what the database itself says of all of them: how many there are, the smallest size, and
-- the rows of all. One statement, so that whatever brings them elsewhere can lose, double or merge none of them
-- unseen. Both read what one shuffle has.
--
-- rows  the statement that yields the classes
-- size  their sizes
--
-- One row per class.
with classes as (
    {rows}
)

select
    classes.*,
    told.told_classes,
    told.told_smallest,
    told.told_rows
from classes
cross join (
    select
        count(*) as told_classes,
        min({size}) as told_smallest,
        cast(sum({size}) as bigint) as told_rows
    from classes
) as told
