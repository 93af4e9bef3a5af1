-- Classes beside the rows of a model's coarser ones: a reader sees the number of violating rows, even rows that the
-- model does not count, because they have no value or belong to a counted person.
--
-- classes  classes over more columns: value_1, value_2, …, size
-- values   those of the QID
--
-- One row per class.
select
    *,
    cast(sum(size) over (partition by {values}) as bigint) as class_rows
from {classes}
