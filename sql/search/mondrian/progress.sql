-- Progress of the cuts.
--
-- cuts     search/mondrian/cuts
-- regions  search/mondrian/regions
--
-- One row: the number of regions with a cut to try, and the highest id of a region.
select
    (select count(*) from {cuts}),
    (select max(region) from {regions})

-- section: found
-- Number of regions after the last cut.
--
-- settled  search/mondrian/regions#settled
--
-- One row.
select count(distinct region)
from {settled}

-- section: climbed
-- Distance of a recoding from its leaves: the sum of its rows' levels.
--
-- levels    the sum of the recoding's level columns
-- recoding  the recoding
--
-- One row.
select cast(sum(frequency * ({levels})) as hugeint)
from {recoding}
