-- The regions whose widest attribute has no allowable cut, with the cuts that are left to try.
--
-- regions  the regions
-- sides    mondrian/sides
--
-- One row per region.
select * replace (cuts[2:] as cuts)
from {regions} as region
where len(cuts) > 0
    and not exists (
        select 1
        from {sides} as side
        where side.region = region.region
    )
