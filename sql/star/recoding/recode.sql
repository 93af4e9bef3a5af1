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
-- The release of the quasi-identifier alone, without other columns: every generalized tuple is repeated once per row.
-- The base frequency set has the numbers of rows, so the source is not read again.
--
-- cells       the names of the released columns
-- place       a name unused in the source
-- shuffled    #shuffled
-- copy        another name unused in the source
-- size        another name unused in the source
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
-- The tuples of the base frequency set, with the column names of the source.
--
-- tuples  the base frequency set's columns, renamed to the source's columns
-- size    a name unused in the source
-- base    the base frequency set: number of rows per combination of values
--
-- One row per tuple.
(
    select
        {tuples},
        frequency as {size}
    from {base}
)

-- section: suppressed
-- Condition for rows outside the suppressed value groups. Codes are never missing, so equality is enough.
--
-- outliers  the suppressed value groups
-- matches   one #match per quasi-identifier: the row's value group is the suppressed group
where not exists (
    select 1
    from {outliers} as outlier
    where {matches}
)

-- section: shuffled
-- The sort key of released rows: a hash of the seed and of the released cells, independent of the source's order.
--
-- seed     the seed, such as `7`
-- columns  the released columns
hash({seed}, {columns})

-- section: map
-- The join of a quasi-identifier with its member in the dimension table, among the leaves of the source.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- match  #match, or store/same if the source has missing values
join {table}
    on {match}
    and {table}.present

-- section: match
-- Condition for equal cells, none of them missing.
--
-- one    a column
-- other  another column of the same type
{one} = {other}
