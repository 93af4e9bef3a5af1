-- The sizes of the classes of a QID, from classes over more columns.
--
-- classes  classes over more columns: value_1, value_2, …, size
-- values   the QID's columns of the classes
--
-- One row per class of the QID, with its number of rows. sum(size) is the same as in classes.
select cast(sum(size) as bigint) as size
from {classes}
group by {values}
