-- The parts of the regions that no cut is left for.
--
-- parts  the parts
-- cuts   search/mondrian/cuts
--
-- One row per part.
select *
from {parts} as part
where not exists (
    select 1
    from {cuts} as cut
    where cut.region = part.region
)
