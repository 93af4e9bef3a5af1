-- A mapping, for a script.
--
-- columns  its columns
-- mapping  the mapping
--
-- One row per row of the mapping.
select {columns}
from {mapping}
order by part
