-- Classes over several columns, each with the number of all rows in its class over the columns of one QID. A verdict
-- reports violating classes with all their rows, including rows not counted by the model: rows without a value, and
-- further rows of a person.
--
-- classes  classes over the columns of the QID and more columns: value_1, value_2, …, size
-- values   the QID's columns of the classes
--
-- One row per row of classes, with class_rows, the rows of its QID class.
select
    *,
    cast(sum(size) over (partition by {values}) as bigint) as class_rows
from {classes}
