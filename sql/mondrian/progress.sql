-- How far the cuts have come.
--
-- regions  the regions
--
-- One row: regions with a cut to try, settled ones, and the number of the last.
select
    count(*) filter (where len(cuts) > 0),
    count(*) filter (where len(cuts) = 0),
    max(region)
from {regions}
