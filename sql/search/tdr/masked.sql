-- A table masked as another one was.
--
-- cells     the number of a row, and one #cell per quasi-identifier
-- source    the table
-- masks     one #mask per quasi-identifier
-- position  the number of a row
--
-- One row per row of the table, in order.
select
    {cells}
from {source} as source
{masks}
order by source.{position}

-- section: mask
-- A value finds what it becomes.
--
-- mask    search/tdr/applied or search/tdr/applied_intervals
-- column  the value
left join {mask}
    on {mask}.value is not distinct from {column}

-- section: cell
-- What a value becomes: the top where it has no leaf in the hierarchy.
--
-- mask  search/tdr/applied or search/tdr/applied_intervals
-- top   what the top reads
case when {mask}.is_leaf then {mask}.cell else {top} end
