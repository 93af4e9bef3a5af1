-- What floating point says for sure of the gains of classes.
--
-- counted  privacy/beta_likeness/recount
--
-- One row: the largest gain; how many classes have too large a one, and how many rows those have.
select
    max(gain) as largest,
    count(*) filter (where far) as violating_classes,
    cast(coalesce(sum(size) filter (where far), 0) as bigint) as violating_rows
from {counted}
