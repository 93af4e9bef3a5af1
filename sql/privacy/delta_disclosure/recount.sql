-- The shares that values of a sensitive attribute have of the classes of a QID, beside those of the table. A missing
-- value is a value.
--
-- $delta      what abs(log2(q / p)) must be less than
-- counted     privacy/class_values
-- sensitive   the sensitive attribute
-- classes     verify/class_rows
-- everywhere  the rows that classes are compared with: size or, where these are of the source, everywhere
--
-- One row per class: its rows, all that it has, those of the table, whether it lacks a value, the largest
-- abs(log2(q / p)), whether it violates it for sure, and the rows here and everywhere of values that do not satisfy it
-- for sure.
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
-- What floating point says for sure of classes.
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
