-- How many rows a frequency set stands for, how many value groups it has, and how many rows the smallest of them.
--
-- frequency  a frequency set
--
-- One row.
select
    cast(coalesce(sum(frequency), 0) as bigint) as rows,
    count(*) as groups,
    min(frequency) as smallest
from {frequency}
