-- The regions that have a cut to try, each with the next one.
--
-- regions  the regions
--
-- One row per region. The cut's numbers are columns: taken from the list for every part, they would cost more than all
-- else.
select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift
from {regions}
where len(cuts) > 0
