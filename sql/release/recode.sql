-- The release: the source with every quasi-identifier at its level, without suppressed rows, in shuffled order.
--
-- cells       the names of the columns that leave
-- columns     the released columns, in the source's order, with what orders the rows
-- source      the source
-- maps        one release/map per quasi-identifier
-- suppressed  release/suppressed where rows may be suppressed, or nothing
-- shuffled    release/shuffled
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
order by {shuffled}
