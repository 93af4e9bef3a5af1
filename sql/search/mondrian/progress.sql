-- How far the cuts have come.
--
-- cuts     search/mondrian/cuts
-- regions  search/mondrian/regions
--
-- One row: the regions with a cut to try, and the number of the last region.
select
    (select count(*) from {cuts}),
    (select max(region) from {regions})
