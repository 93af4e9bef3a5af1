-- Check of a QID's classes: enough values of a sensitive attribute. A missing value is a value.
--
-- $l         the smallest allowed number of different values
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     those of the QID
--
-- One row: the fewest values of a class; how many classes have fewer than l, and how many rows those have.
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
