-- The released columns of this run's private release, which also has columns that identify persons; in shuffled order.
--
-- cells     the names of the released columns
-- release   the private release
-- shuffled  star/recoding/recode#shuffled
--
-- One row per row of it.
select {cells}
from {release} as released
order by {shuffled}
