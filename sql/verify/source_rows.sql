-- The rows of the source, counted again.
--
-- source  the source
--
-- One row.
select count(*) as rows
from {source}
