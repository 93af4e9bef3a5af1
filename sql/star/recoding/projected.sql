-- The released columns of a release that this run alone has, which tells persons apart, too; in shuffled order.
--
-- cells     the names of the columns that leave
-- release   that release
-- shuffled  star/recoding/recode#shuffled
--
-- One row per row of it.
select {cells}
from {release} as released
order by {shuffled}
