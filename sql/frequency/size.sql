-- How many rows a frequency set stands for, and how many value groups it has.
--
-- frequency  a frequency set
--
-- One row.
select
    cast(coalesce(sum(frequency), 0) as bigint) as rows,
    count(*) as groups
from {frequency}
