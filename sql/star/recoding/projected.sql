-- The release in shuffled order, from the run's private release, which also has the columns that identify persons.
--
-- cells     the names of the released columns
-- release   the private release
-- shuffled  star/recoding/recode#shuffled
--
-- One row per row of the private release.
select {cells}
from {release} as released
order by {shuffled}
