-- A recoding whose tuples stand once for every generalized tuple they go to, from whatever regions.
--
-- columns   its columns but frequency, suppressed and what is carried
-- merged    star/frequency/rollup#counted, and one privacy/aggregates#merged per sensitive attribute that is carried
-- recoding  the recoding
--
-- One row per tuple and generalized tuple. sum(frequency) stays as it is.
select
    {columns},
    suppressed,
    {merged}
from {recoding}
group by all
