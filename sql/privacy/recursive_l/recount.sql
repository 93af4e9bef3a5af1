-- The most frequent value of a sensitive attribute and the rarer ones in the classes of a QID. A missing value is a
-- value.
--
-- $l         how many of the most frequent values are not counted with the others, and one
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     those of the QID
--
-- One row per pair of numbers: the rows of the most frequent value, and of those from the l-th on; how many classes
-- have these, and how many rows those have.
select
    first,
    rest,
    count(*) as classes,
    cast(sum(class_rows) as bigint) as rows
from (
    select
        max(rows) as first,
        cast(coalesce(sum(rows) filter (where place >= $l), 0) as bigint) as rest,
        any_value(class_rows) as class_rows
    from (
        select
            {values},
            cast(sum(size) as bigint) as rows,
            any_value(class_rows) as class_rows,
            row_number() over (partition by {values} order by sum(size) desc) as place
        from {classes}
        group by
            {values},
            {sensitive}
    )
    group by {values}
)
group by
    first,
    rest
