-- How far from its leaves a recoding is: the sum of its rows' levels.
--
-- levels    the sum of its level columns
-- recoding  the recoding
--
-- One row.
select cast(sum(frequency * ({levels})) as hugeint)
from {recoding}
