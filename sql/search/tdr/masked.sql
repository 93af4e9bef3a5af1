-- A table masked as another one was.
--
-- cells     the number of a row, and one search/tdr/masked_cell per quasi-identifier
-- source    the table
-- masks     one search/tdr/mask per quasi-identifier
-- position  the number of a row
--
-- One row per row of the table, in order.
select
    {cells}
from {source} as source
{masks}
order by source.{position}
