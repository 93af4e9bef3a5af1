-- The parts of the regions that had a cut to try, each in its region, or in the new one that a cut made of it.
--
-- paths   path_1, path_2, …, and what is carried
-- child   search/mondrian/counts#child
-- parts   the parts
-- cuts    search/mondrian/cuts
-- sides   search/mondrian/sides
--
-- One row per part.
select
    coalesce(side.target, part.region) as region,
    {paths},
    part.frequency
from {parts} as part
join {cuts} as cut using (region)
left join {sides} as side
    on side.region = part.region
    and side.child = {child}
