-- Check of a QID's classes for distinct l-diversity. A missing value is a value.
--
-- $l         the smallest allowed number of different values
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     the QID's columns of the classes
--
-- One row: the smallest number of different values of a class, the number of classes with fewer than l values, and the
-- number of rows in these classes.
select
    min(diversity) as fewest,
    count(*) filter (where diversity < $l) as violating_classes,
    cast(coalesce(sum(class_rows) filter (where diversity < $l), 0) as bigint) as violating_rows
from (
    select
        count(distinct {sensitive}) + max(case when {sensitive} is null then 1 else 0 end) as diversity,
        any_value(class_rows) as class_rows
    from {classes}
    group by {values}
)
