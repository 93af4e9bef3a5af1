-- Shares of a sensitive attribute's values in the classes of a QID, beside those of the table. A missing value is a
-- value.
--
-- $delta      the upper limit of abs(log2(q / p)), excluded
-- counted     privacy/class_values
-- sensitive   the sensitive attribute
-- classes     privacy/class_rows
-- everywhere  the rows compared with classes: size or, for rows of the source, everywhere
--
-- One row per class: its counted rows, all its rows, those of the table, true if it lacks a value, the largest
-- abs(log2(q / p)), true if this violates the limit for sure, and, for values not satisfying it for sure, their rows
-- here and everywhere.
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
-- Certain verdicts of floating point on classes.
--
-- counted  privacy/delta_disclosure/recount
--
-- One row: whether any lacks a value; the largest abs(log2(q / p)); how many classes violate it, and how many rows
-- those have.
select
    coalesce(bool_or(lacks), false) as lacking,
    max(power) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where far), 0) as bigint) as violating_rows
from {counted}
