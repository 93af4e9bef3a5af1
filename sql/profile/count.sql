-- The rows of a table.
--
-- rows  the table
--
-- One row.
select count(*) as rows
from {rows}
