-- Comparison of the classes of a QID with the bound of δ-disclosure privacy by floating point, with a margin for
-- rounding. q is a value's share in a class, p in the table. A missing value is a value.
--
-- $delta      the upper limit of abs(log2(q / p)), excluded
-- counted     privacy/class_values
-- sensitive   the sensitive attribute
-- classes     privacy/class_rows
-- everywhere  the column with the row counts of the table to compare with: size, the release, or everywhere, the source
--
-- One row per class: its counted rows (size), all its rows (class_rows), the rows of the table (whole), true if a value
-- of the table is absent from the class (lacks), the largest abs(log2(q / p)) of a value (power), true if the class
-- violates the bound for sure (far), and a pair per value that may violate the bound: the value's rows in the class and
-- in the table (near).
select
    any_value(size) as size,
    any_value(class_rows) as class_rows,
    any_value(whole) as whole,
    count(*) < any_value(different) as lacks,
    max(power) as power,
    lacks or bool_or(power - $delta > 1e-9 * (1 + $delta)) as far,
    list(distinct [rows, total] order by [rows, total])
        filter (where power - $delta >= -1e-9 * (1 + $delta)) as near
from (
    select
        *,
        abs(log2((rows / size) / (total / whole))) as power,
        (
            select count(*)
            from (
                select distinct {sensitive}
                from {classes}
                where {everywhere} > 0
            )
        ) as different
    from (
        {counted}
    )
    where rows > 0
)
group by class

-- section: far
-- Number of classes in violation of δ-disclosure privacy for sure, by floating point.
--
-- counted  privacy/delta_disclosure/recount
--
-- One row: true if a value is absent from a class, the largest abs(log2(q / p)), the number of classes in violation of
-- the bound for sure, and the number of rows in these classes.
select
    coalesce(bool_or(lacks), false) as lacking,
    max(power) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from {counted}
