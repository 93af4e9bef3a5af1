-- A recoding with equal rows merged: parts of one tuple with the same generalized values, in different regions.
--
-- columns   the recoding's columns except frequency, suppressed and carried ones
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
