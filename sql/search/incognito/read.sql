-- The fingerprints that are kept with a cube.
--
-- kept  the relation
--
-- One row per relation, in order.
select
    part,
    rows,
    sum_1,
    sum_2
from {kept}
order by part
