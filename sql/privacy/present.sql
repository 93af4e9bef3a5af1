-- The classes of a table over a sensitive attribute and more columns, except classes with a missing sensitive value.
--
-- sensitive  the sensitive attribute
-- classes    classes over the sensitive attribute and more columns
--
-- One row per class with a value.
select *
from {classes}
where {sensitive} is not null

-- section: blank
-- Number of a QID's classes with no value of a sensitive attribute in any row.
--
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     the QID's columns of the classes
--
-- One row: the number of classes of the QID without any value (blank), the number of rows in these classes (rows), and
-- the number of rows of classes, the relation, with a missing value (missing).
select
    count(*) filter (where size > 0 and present = 0) as blank,
    cast(coalesce(sum(class_rows) filter (where size > 0 and present = 0), 0) as bigint) as rows,
    cast(coalesce(sum(missing), 0) as bigint) as missing
from (
    select
        sum(size) as size,
        any_value(class_rows) as class_rows,
        count({sensitive}) filter (where size > 0) as present,
        count(*) - count({sensitive}) as missing
    from {classes}
    group by {values}
)
