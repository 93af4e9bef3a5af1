-- The release: the source with every quasi-identifier at its level, without suppressed rows, in shuffled order: of each
-- file, and which file a row is in. To order all of them would read the source twice.
--
-- cells       the names of the columns that leave
-- columns     the released columns, in the source's order, with what orders the rows
-- source      the source
-- maps        one #map per quasi-identifier
-- suppressed  #suppressed where rows may be suppressed, or nothing
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
