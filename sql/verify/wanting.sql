-- The equivalence classes of fewer than k rows.
--
-- $k                 the smallest allowed class
-- quasi_identifiers  the columns that must not single anybody out
-- source             the table
--
-- One row: how many such classes, and how many rows are in them.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows
from (
    select count(*) as size
    from {source}
    group by {quasi_identifiers}
    having count(*) < $k
)
