-- The release: the source with every quasi-identifier at its level, without suppressed rows, in shuffled order: within
-- each file, and by file. An order over all rows would read the source twice.
--
-- cells       the names of the released columns
-- columns     the released columns, in the source's order, with the order key of the rows
-- source      the source
-- maps        one #map per quasi-identifier
-- suppressed  #suppressed if rows may be suppressed, or nothing
-- shuffled    #shuffled
--
-- One row per row of the source that is not suppressed.
select {cells}
from (
    select
        {columns}
    from {source} as source
    {maps}
    {suppressed}
) as released
distribute by {shuffled}
sort by {shuffled}
