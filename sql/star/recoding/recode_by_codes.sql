-- The release of a local recoding made in the working store: rows find the codes of their tuples once, and only rows of
-- a split tuple are numbered. It has the rows of star/recoding/recode_locally.
--
-- source    the source
-- codes     the codes of every quasi-identifier, under names unused in the source
-- maps      one star/recoding/recode#map per quasi-identifier
-- cells     the names of the released columns
-- rows      #whole and, if rows of a tuple part, #parted
-- shuffled  star/recoding/recode#shuffled
--
-- One row per row of the source that is not suppressed. The materialized part keeps the joins in this order: DuckDB 2.0
-- fails on some others, as texts of a dimension pass a join with the mapping ("dict-surviving").
with coded as materialized (
    select
        source.*,
        {codes}
    from {source} as source
    {maps}
)
select {cells}
from (
    {rows}
) as released
order by {shuffled}

-- section: whole
-- Rows of tuples with one class.
--
-- columns  the released columns, in the source's order
-- mapping  star/recoding/recode_locally#mapping, by the codes
-- labels   one #label per generalized quasi-identifier
-- parted   #unparted if rows of a tuple part, or nothing
select {columns}
from coded as source
{mapping}
{labels}
where not mapping.suppressed
    {parted}

-- section: unparted
-- Only tuples with all rows together.
and mapping.lower = 0
and mapping.upper is null

-- section: parted
-- Rows of tuples with several classes: the seed decides the class of each row.
--
-- columns  the released columns, in the source's order
-- codes    those of the leaves
-- order    one star/recoding/recode_locally#order per other column
-- copy     a name unused in the source
-- chosen   another one
-- several  star/recoding/recode_locally#mapping, by the codes, of the mapping's #several
-- mapping  star/recoding/recode_locally#mapping, of the whole mapping
-- labels   one #label per generalized quasi-identifier
-- turn     star/recoding/recode_locally#turn
union all
select * exclude ({chosen})
from (
    select
        {columns},
        {turn} as {chosen}
    from (
        select
            source.*,
            row_number() over (
                partition by {codes}
                order by {order}
            ) as {copy}
        from coded as source
        semi {several}
    ) as source
    {mapping}
    {labels}
    where not mapping.suppressed
)
where {chosen}

-- section: several
-- The tuples with rows in several classes.
--
-- mapping  the mapping
(
    select *
    from {mapping}
    where upper is not null
)

-- section: label
-- The texts of a code at every level.
--
-- table  the dimension table
-- code   the code of a row's leaf
left join {table}
    on {table}.code = {code}

-- section: are_parted
-- True if rows of a tuple part.
--
-- mapping  the mapping
--
-- One row.
select count(*) > 0 as parted
from {mapping}
where upper is not null
