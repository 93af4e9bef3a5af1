-- Rows of the most frequent sensitive value and of the rarer values, by class of a QID. A missing value is a value.
--
-- $l         the rank by frequency of the first of the rarer values: the l of recursive (c,l)-diversity
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     the QID's columns of the classes
--
-- One row per group of classes with equal counts: rows of the most frequent value (first), rows of the l-th most
-- frequent value and all rarer values together (rest), the number of such classes, and the number of all their rows.
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
