-- A recoding whose tuples occur once for every generalized tuple they go to, from whatever regions.
--
-- columns   its columns except frequency, suppressed and carried ones
-- merged    star/frequency/rollup#counted, and one privacy/aggregates#merged per carried sensitive attribute
-- recoding  the recoding
--
-- One row per tuple and generalized tuple. sum(frequency) is unchanged.
select
    {columns},
    suppressed,
    {merged}
from {recoding}
group by all
