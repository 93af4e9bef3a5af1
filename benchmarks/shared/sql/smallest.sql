-- The recount of a release: its equivalence classes, and the rows of the smallest one.
--
-- frequency  a frequency set, such as bare.sql
--
-- One row.
select
    count(*) as classes,
    min(frequency) as smallest
from (
    {frequency}
) as classes
