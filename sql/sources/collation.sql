-- True for text columns with a collation that treats different texts as equal.
--
-- merges  one #merges per column
-- origin  the statement for the rows with these columns
--
-- One row per pair of constant texts with different case, a different accent, or a different Unicode composition. No
-- row of the origin is read: the collation of a column decides if the two constants compare as equal.
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
-- True if a column's collation treats the two constants as equal.
--
-- column  the column
coalesce({column}, texts.one) = texts.another
