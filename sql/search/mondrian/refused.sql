-- The regions whose widest attribute has no allowable cut, with the cuts that are left to try.
--
-- cuts   search/mondrian/cuts
-- sides  search/mondrian/sides
--
-- One row per region that has one left.
select
    region,
    frequency,
    cuts[1].dimension as dimension,
    cuts[1].shift as shift,
    cuts[2:] as cuts
from {cuts} as cut
where len(cuts) > 0
    and not exists (
        select 1
        from {sides} as side
        where side.region = cut.region
    )
