-- The classes of which floating point cannot tell whether their entropy is large enough.
--
-- counted  privacy/entropy_l/recount
--
-- One row per histogram: how many rows each value has, how many classes have it, and how many rows those have.
select
    counts,
    count(*) as classes,
    cast(sum(size) as bigint) as rows
from {counted}
where above between -1e-9 and 1e-9
group by counts
