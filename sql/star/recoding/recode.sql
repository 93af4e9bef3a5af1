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

-- section: expanded
-- The release in shuffled order, from its distinct rows: equal rows are neighbours in that order, so only distinct rows
-- are sorted. The union adds no row. With it, DuckDB 2.0 writes the rows as they come, by one thread: two threads would
-- each hold all copies of 122,880 distinct rows in memory, for twice the CPU.
--
-- cells     the names of the released columns
-- classes   #classes, or star/recoding/recode_by_codes#classes
-- distinct  a name for them
-- size      their column with the number of equal rows
-- copy      another name unused in the source
-- shuffled  #shuffled
--
-- One row per row of the release.
with {distinct} as materialized (
    {classes}
)
select {cells}
from (
    select
        {cells},
        unnest(repeat([true], least({size} - {copy}, 10000))) as {copy}
    from (
        select
            {cells},
            {size},
            -- Parts of equal rows: the list of an unnest has a byte for each row of 2,048 parts.
            unnest(range(0, {size}, 10000)) as {copy}
        from (
            from (
                select
                    {cells},
                    {size}
                from {distinct} as released
                order by {shuffled}
            ) as released
            union all
            select
                {cells},
                {size}
            from range(0)
            cross join {distinct} as released
        ) as released
    ) as parts
) as released

-- section: classes
-- The distinct rows of a release of the quasi-identifier alone, without other columns, with their numbers. The base
-- frequency set has the numbers of rows, so the source is not read again.
--
-- columns     the released columns, in the source's order
-- size        a name unused in the source
-- tuples      #tuples
-- maps        one #map per quasi-identifier
-- suppressed  #suppressed if rows may be suppressed, or nothing
--
-- One row per distinct row of the release.
select
    {columns},
    cast(sum(source.{size}) as bigint) as {size}
from {tuples} as source
{maps}
{suppressed}
group by all

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
