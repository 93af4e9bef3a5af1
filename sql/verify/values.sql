-- Number of staged classes with a value, not a missing one, in a column.
--
-- value    the column of the staged classes
-- classes  the staged classes
--
-- One row.
select count({value}) as present
from {classes}
