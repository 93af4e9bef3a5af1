-- What floating point says for sure of the entropy of classes.
--
-- counted  privacy/entropy_l/recount
--
-- One row: the least effective l; how many classes have too small an entropy, and how many rows those have.
select
    exp(min(entropy)) as fewest,
    count(*) filter (where above < -1e-9) as violating_classes,
    cast(coalesce(sum(size) filter (where above < -1e-9), 0) as bigint) as violating_rows
from {counted}
