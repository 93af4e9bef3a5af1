-- The release: the source with every quasi-identifier at its level, without suppressed rows, in shuffled order.
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
order by {shuffled}

-- section: counted
-- The same release where nothing but the quasi-identifier leaves: every generalized tuple as often as it has rows,
-- which the base frequency set knows, so that no row is read again.
--
-- cells       the names of the columns that leave
-- place       a name that no column of the source has
-- shuffled    #shuffled
-- copy        another one
-- size        another one
-- columns     the released columns, in the source's order
-- tuples      the columns of the base frequency set, by the names of the source's
-- base        the base frequency set
-- maps        one #map per quasi-identifier
-- suppressed  #suppressed where rows may be suppressed, or nothing
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
        from (
            select
                {tuples},
                frequency as {size}
            from {base}
        ) as source
        {maps}
        {suppressed}
        group by all
    ) as released
) as released
order by {place}

-- section: suppressed
-- Rows whose value group is an outlier are left out. Codes are never missing, so equality is enough.
--
-- outliers  the suppressed value groups
-- matches   one #match per quasi-identifier
where not exists (
    select 1
    from {outliers} as outlier
    where {matches}
)

-- section: shuffled
-- An order that depends on the seed and on what is released, never on the source's order. Equal rows are neighbours.
--
-- seed     the seed
-- columns  the released columns
hash({seed}, {columns})

-- section: map
-- A quasi-identifier finds its member in its dimension table, among the leaves that the source has.
--
-- table  the dimension table
-- match  #match, or #same where the source has missing values
join {table}
    on {match}
    and {table}.present

-- section: match
-- Two cells are equal, of which none is missing.
--
-- one    a column
-- other  another one, of the same type
{one} = {other}

-- section: same
-- Two cells are equal; the missing value is equal to itself.
--
-- one    a column
-- other  another one, of the same type
{one} is not distinct from {other}
