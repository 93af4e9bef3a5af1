-- The records of a quasi-identifier: its frequency set over the leaves.
--
-- codes  the leaf columns of the star, as code_1, code_2, …
-- star   the star
--
-- One row per value group.
select
    {codes},
    cast(sum(frequency) as bigint) as frequency
from {star}
group by all
