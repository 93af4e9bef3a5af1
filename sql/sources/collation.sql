-- Whether text columns compare by a collation that merges texts a recipient can tell apart.
--
-- merges  one #merges per column
-- origin  the statement that yields their rows
--
-- One row per pair of texts that differ in case, in an accent, or in how they are composed. No row of the origin is
-- read: its collation alone decides how the constants compare.
select
    {merges}
from (
    values
        ('A', 'a'),
        (chr(233), 'e'),
        (chr(233), 'e' || chr(769))
) as texts (one, another)
left join (
    select *
    from (
        {origin}
    )
    where false
) as origin
    on true

-- section: merges
-- Whether one column does.
--
-- column  the column
coalesce({column}, texts.one) = texts.another
