-- What came home of the classes of a table.
--
-- torn     one #torn per QID
-- classes  the classes
--
-- One row: the classes, their rows, the smallest size, and the groups that are not those of the database.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    {torn} as torn
from {classes}

-- section: torn
-- How many groups of a QID are others than the database counted: two that became one, or one that came in pieces.
--
-- classes  classes over more columns: value_1, value_2, …, size, group_1, group_2, …
-- values   those of the QID
-- group    the column that tells the rows of a class's group, as the database counted them
--
-- A number.
(
    select count(*)
    from (
        select
            sum(size) as rows,
            min({group}) as least,
            max({group}) as most
        from {classes}
        group by {values}
    ) as grouped
    where grouped.rows <> grouped.least
        or grouped.rows <> grouped.most
)
