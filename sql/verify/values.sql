-- Number of staged classes with a value in a column.
--
-- value    its column of the staged classes
-- classes  the staged classes
--
-- One row.
select count({value}) as present
from {classes}
