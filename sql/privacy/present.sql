-- The classes of a table by a sensitive attribute, without the rows without a value of it.
--
-- sensitive  the sensitive attribute
-- classes    classes over it and more columns
--
-- One row per class with a value.
select *
from {classes}
where {sensitive} is not null

-- section: blank
-- The classes of a QID without any value of a sensitive attribute.
--
-- sensitive  the sensitive attribute
-- classes    privacy/class_rows
-- values     those of the QID
--
-- One row: how many classes have no value, and how many rows those have; how many rows of the finer classes have none.
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
