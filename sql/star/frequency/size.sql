-- Number of rows of a frequency set, number of its value groups, and number of rows of its smallest group.
--
-- frequency  a frequency set
--
-- One row.
select
    cast(coalesce(sum(frequency), 0) as bigint) as rows,
    count(*) as groups,
    min(frequency) as smallest
from {frequency}
