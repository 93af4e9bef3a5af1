-- Totals of a table's equivalence classes after their copy to the working store, for comparison with the database.
--
-- torn     one #torn per QID
-- classes  the classes
--
-- One row: the number of classes, the number of rows, the smallest class size, and the number of classes under the QIDs
-- with another size than in the database.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    {torn} as torn
from {classes}

-- section: torn
-- Number of classes under a QID that differ from the database's count: two classes merged, or one class in pieces.
--
-- classes  classes over more columns: value_1, value_2, …, size, group_1, group_2, …
-- values   the columns of the QID's attributes
-- group    the column with the number of rows that agree with a class in the QID, as counted by the database
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
