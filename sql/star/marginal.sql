-- The frequency set of one attribute alone.
--
-- dimension  the attribute's position in the quasi-identifier, from 1
-- code       the star's column with the attribute's leaf codes
-- merged     star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- star       the star: the base frequency set with codes in place of values
--
-- One row per value. sum(frequency) is the same as in the star.
select
    {dimension} as dimension,
    {code} as code,
    {merged}
from {star}
group by {code}
