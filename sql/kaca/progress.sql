-- How far the loop has come.
--
-- $k       the smallest allowed class
-- classes  the classes
--
-- One row: the classes, those of fewer than k rows, and all rows.
select
    count(*) as classes,
    count(*) filter (where frequency < $k) as small,
    cast(coalesce(sum(frequency), 0) as bigint) as rows
from {classes}
