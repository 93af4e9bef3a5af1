-- The records of a quasi-identifier: its frequency set over the leaves.
--
-- codes   the leaf columns of the star, as code_1, code_2, …
-- counts  star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- star    the star: the base frequency set with codes in place of values
--
-- One row per value group.
select
    {codes},
    {counts}
from {star}
group by all

-- section: tuples
-- The records of a quasi-identifier with all attributes: the tuples of the star, unchanged.
--
-- codes   the leaf columns of the star, as code_1, code_2, …
-- counts  frequency, and the carried columns of sensitive attributes
-- star    the star: the base frequency set with codes in place of values
--
-- One row per row of the star.
select
    {codes},
    {counts}
from {star}
