-- The release of a local recoding: the source with every cell at its level, in shuffled order. If the rows of a tuple
-- go to several levels, the seed decides the level of each row, so that the other cells of a row do not reveal it.
--
-- columns            the released columns, in the source's order
-- source             the source
-- cells              the names of the released columns
-- quasi_identifiers  those of the quasi-identifiers
-- order              one #order per other column: it numbers the rows of a tuple, alike in every database
-- copy               a name unused in the source
-- chosen             another one
-- maps               one star/recoding/recode#map per quasi-identifier, and #mapping of star/recoding/mapping
-- turn               #turn
-- shuffled           star/recoding/recode#shuffled
--
-- One row per row of the source that is not suppressed.
select {cells}
from (
    select
        {columns},
        {turn} as {chosen}
    from (
        select
            source.*,
            row_number() over (
                partition by {quasi_identifiers}
                order by {order}
            ) as {copy}
        from {source} as source
    ) as source
    {maps}
    where not mapping.suppressed
) as released
where {chosen}
order by {shuffled}

-- section: order
-- A column to order rows by: missing values last, in every database.
--
-- column  the column
{column} is null, {column}

-- section: mapping
-- The join of a row with its tuple's mapping.
--
-- mapping  the mapping: a recoding, or star/recoding/mapping
-- match    one star/recoding/recode#match per quasi-identifier
join {mapping} as mapping
    on {match}

-- section: turn
-- True if a row of a tuple goes to a part of it. It has its turn by whole numbers below 2^31, scattered by the tuple's
-- salt: no hash unknown to another database, and no product above 2^62.
--
-- copy    the row's number within its combination of quasi-identifiers
-- number  that number and, if a tuple has several combinations, one #order per quasi-identifier: without them, rows of
--         two combinations would be equal here, and a row could go to two parts or to none
-- rows    more rows than a tuple has
row_number() over (
    partition by mapping.part
    order by
        (source.{copy} * 48271 + mapping.salt) % 2147483647 * ((source.{copy} * 48271 + mapping.salt) % 2147483647)
        % 2147483647,
        {number}
) between mapping.lower + 1 and coalesce(mapping.upper, {rows})
