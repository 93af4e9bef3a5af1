-- What floating point says for sure of classes.
--
-- counted  privacy/delta_disclosure/recount
--
-- One row: whether any lacks a value; the largest abs(log2(q / p)); how many classes violate it, and how many rows
-- those have.
select
    coalesce(bool_or(lacks), false) as lacking,
    max(power) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from {counted}
