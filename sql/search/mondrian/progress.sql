-- Progress of the cuts.
--
-- cuts     search/mondrian/cuts
-- regions  search/mondrian/regions
--
-- One row: the regions with a cut to try, and the number of the last region.
select
    (select count(*) from {cuts}),
    (select max(region) from {regions})

-- section: found
-- Number of regions in the end.
--
-- settled  search/mondrian/regions#settled
--
-- One row.
select count(distinct region)
from {settled}

-- section: climbed
-- Distance of a recoding from its leaves: the sum of its rows' levels.
--
-- levels    the sum of its level columns
-- recoding  the recoding
--
-- One row.
select cast(sum(frequency * ({levels})) as hugeint)
from {recoding}
