-- The parts of the regions that no cut is left for.
--
-- parts    the parts
-- regions  the regions
--
-- One row per part.
select
    part.*,
    region.* exclude (region, frequency, cuts)
from {parts} as part
join {regions} as region using (region)
where len(region.cuts) = 0
