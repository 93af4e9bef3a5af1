-- How far the cuts have come.
--
-- cuts     search/mondrian/cuts
-- regions  search/mondrian/regions
--
-- One row: the regions with a cut to try, and the number of the last region.
select
    (select count(*) from {cuts}),
    (select max(region) from {regions})

-- section: found
-- How many regions there are in the end.
--
-- settled  search/mondrian/regions#settled
--
-- One row.
select count(distinct region)
from {settled}

-- section: climbed
-- How far from its leaves a recoding is: the sum of its rows' levels.
--
-- levels    the sum of its level columns
-- recoding  the recoding
--
-- One row.
select cast(sum(frequency * ({levels})) as hugeint)
from {recoding}
