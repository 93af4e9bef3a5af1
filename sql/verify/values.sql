-- Number of staged classes with a value in a column; classes with a missing value do not count.
--
-- value    the column of the staged classes
-- classes  the staged classes
--
-- One row.
select count({value}) as present
from {classes}
