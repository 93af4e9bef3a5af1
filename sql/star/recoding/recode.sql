-- The release: the source with every quasi-identifier at its level, without suppressed rows, in shuffled order.
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
order by {shuffled}

-- section: counted
-- The same release if only the quasi-identifier is released: every generalized tuple as often as it has rows. The base
-- frequency set has these counts, so no row is read again.
--
-- cells       the names of the released columns
-- place       a name unused in the source
-- shuffled    #shuffled
-- copy        another one
-- size        another one
-- columns     the released columns, in the source's order
-- tuples      #tuples
-- maps        one #map per quasi-identifier
-- suppressed  #suppressed if rows may be suppressed, or nothing
--
-- One row per row of the source that is not suppressed.
select {cells}
from (
    select
        {cells},
        {shuffled} as {place},
        -- A byte for each row, of all tuples that a thread has in hand.
        unnest(repeat([true], {size})) as {copy}
    from (
        select
            {columns},
            cast(sum(source.{size}) as bigint) as {size}
        from {tuples} as source
        {maps}
        {suppressed}
        group by all
    ) as released
) as released
order by {place}

-- section: tuples
-- The tuples of the base frequency set, as rows of the source.
--
-- tuples  its columns, by the names of the source's
-- size    a name unused in the source
-- base    the base frequency set
--
-- One row per tuple.
(
    select
        {tuples},
        frequency as {size}
    from {base}
)

-- section: suppressed
-- Rows with an outlier as value group are suppressed. Codes are never missing, so equality is enough.
--
-- outliers  the suppressed value groups
-- matches   one #match per quasi-identifier
where not exists (
    select 1
    from {outliers} as outlier
    where {matches}
)

-- section: shuffled
-- An order that depends on the seed and on released cells, never on the source's order. Equal rows are neighbours.
--
-- seed     the seed, such as `7`
-- columns  the released columns
hash({seed}, {columns})

-- section: map
-- The join of a quasi-identifier with its member in the dimension table, among the leaves of the source.
--
-- table  the dimension table
-- match  #match, or store/same if the source has missing values
join {table}
    on {match}
    and {table}.present

-- section: match
-- Condition for equal cells, none of them missing.
--
-- one    a column
-- other  another one, of the same type
{one} = {other}
