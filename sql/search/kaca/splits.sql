-- How many mergers take a stub only.
--
-- mergers  the mergers
--
-- One row.
select count(*) filter (where not whole) as splits
from {mergers}
