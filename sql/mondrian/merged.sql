-- A recoding whose tuples stand once for every generalized tuple they go to, from whatever regions.
--
-- columns   its columns but frequency and suppressed
-- recoding  the recoding
--
-- One row per tuple and generalized tuple. sum(frequency) stays as it is.
select
    {columns},
    cast(sum(frequency) as bigint) as frequency,
    suppressed
from {recoding}
group by all
