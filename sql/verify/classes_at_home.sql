-- Totals of a table's classes in the working store.
--
-- torn     one #torn per QID
-- classes  the classes
--
-- One row: the classes, their rows, the smallest size, and the groups different from the database's.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    {torn} as torn
from {classes}

-- section: torn
-- Number of groups of a QID different from the database's count: two merged, or one in pieces.
--
-- classes  classes over more columns: value_1, value_2, …, size, group_1, group_2, …
-- values   those of the QID
-- group    the column with the number of rows of a class's group, as the database counted them
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
