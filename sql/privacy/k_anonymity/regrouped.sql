-- The sizes of the classes of a QID, from classes over more columns.
--
-- classes  classes over more columns: value_1, value_2, …, size
-- values   those of the QID
--
-- One row per class of the QID. sum(size) is that of the classes.
select cast(sum(size) as bigint) as size
from {classes}
group by {values}
