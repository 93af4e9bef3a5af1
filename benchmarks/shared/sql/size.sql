-- How many rows a frequency set stands for, and how many combinations it has.
--
-- frequency  a frequency set
--
-- One row.
select
    cast(sum(frequency) as bigint) as rows,
    count(*) as combinations
from {frequency}
