-- How many classes are outliers, and how many rows those have.
--
-- outliers  search/kaca/outliers
--
-- One row.
select
    count(*) as outliers,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {outliers}
