-- True if text columns compare by a collation that merges texts different to a recipient.
--
-- merges  one #merges per column
-- origin  the statement with their rows
--
-- One row per pair of texts with different case, a different accent, or a different composition. No row of the origin
-- is read: its collation alone decides the comparison of the constants.
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
-- True if one column does.
--
-- column  the column
coalesce({column}, texts.one) = texts.another
