-- The rows of the source, counted again.
--
-- source  the source
--
-- One row.
select count(*) as present
from {source} as source
