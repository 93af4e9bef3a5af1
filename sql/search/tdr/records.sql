-- The records of a quasi-identifier: its frequency set over the leaves.
--
-- codes   the leaf columns of the star, as code_1, code_2, …
-- counts  frequency/counted, and one privacy/merged per sensitive attribute that is carried
-- star    the star
--
-- One row per value group.
select
    {codes},
    {counts}
from {star}
group by all
