-- The release of a local recoding: the source with every cell at its level, in shuffled order. If a tuple is split (its
-- rows have several levels), the seed determines the levels of each row, independent of the row's other cells.
--
-- columns            the released columns, in the source's order
-- source             the source
-- cells              the names of the released columns
-- quasi_identifiers  the columns of the quasi-identifiers
-- order              one #order per other column, to number the rows of a tuple equally in every database
-- copy               a name unused in the source
-- chosen             another name unused in the source
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
-- A column of an ORDER BY, with missing values last in every database.
--
-- column  the column
{column} is null, {column}

-- section: mapping
-- The join of a row of the source with the rows of the mapping for the row's tuple (combination of quasi-identifiers).
--
-- mapping  the mapping: a recoding, or star/recoding/mapping
-- match    one star/recoding/recode#match per quasi-identifier
join {mapping} as mapping
    on {match}

-- section: turn
-- True if a row of the mapping gives a row of its tuple its generalized values: if the row's position is from lower + 1
-- to upper. Positions follow a pseudorandom number.
--
-- drawn   #drawn
-- number  the row's number within its combination of quasi-identifiers and, if a tuple has several combinations, one
--         #order per quasi-identifier: otherwise rows of two combinations would be equal in this order, and two rows of
--         the mapping, or none, could apply to a row
-- rows    an upper bound of the number of rows of a tuple
row_number() over (
    partition by mapping.part
    order by
        {drawn},
        {number}
) between mapping.lower + 1 and coalesce(mapping.upper, {rows})

-- section: drawn
-- A pseudorandom number below 2^31, computed from the row's number and the tuple's salt by integer arithmetic alone,
-- which is the same in every database, with no product above 2^62.
--
-- copy  the row's number within its combination of quasi-identifiers
-- salt  the tuple's salt in star/recoding/mapping
({copy} * 48271 + {salt}) % 2147483647 * (({copy} * 48271 + {salt}) % 2147483647)
% 2147483647
