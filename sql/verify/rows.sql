-- How many rows the classes of a table have.
--
-- classes  the classes
--
-- One row.
select cast(coalesce(sum(size), 0) as bigint) as rows
from {classes}
