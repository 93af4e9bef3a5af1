-- Number of rows in a frequency set, number of its value groups, and rows of the smallest one.
--
-- frequency  a frequency set
--
-- One row.
select
    cast(coalesce(sum(frequency), 0) as bigint) as rows,
    count(*) as groups,
    min(frequency) as smallest
from {frequency}
