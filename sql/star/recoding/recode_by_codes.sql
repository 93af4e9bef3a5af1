-- The release of a local recoding, for the working store: dimension tables are joined once to find the codes of a row,
-- and only the rows of split tuples are numbered. It has the same rows as star/recoding/recode_locally.
--
-- coded     #coded, or #numbered for many quasi-identifiers
-- cells     the names of the released columns
-- rows      #whole, and #parted if some tuple is split
-- shuffled  star/recoding/recode#shuffled
--
-- One row per row of the source that is not suppressed. The materialized part keeps the joins in this order: DuckDB 2.0
-- fails on some others, as texts of a dimension pass a join with the mapping ("dict-surviving").
with coded as materialized (
    {coded}
)
select {cells}
from (
    {rows}
) as released
order by {shuffled}

-- section: classes
-- The distinct rows of a release of the quasi-identifier alone, without other columns, with their numbers. It has the
-- same rows as the release by codes; no row of the source is read or numbered.
--
-- coded  #coded, of star/recoding/recode#tuples
-- cells  the names of the released columns
-- size   a name unused in the source
-- rows   #whole, with #size as a further column
--
-- One row per distinct row of the release.
with coded as materialized (
    {coded}
)
select
    {cells},
    cast(sum({size}) as bigint) as {size}
from (
    {rows}
) as released
group by all

-- section: size
-- The number of a tuple's rows with the levels of a row of the mapping: the rows numbered above lower and up to upper.
--
-- size  the column with the number of the tuple's rows
greatest(least(coalesce(mapping.upper, source.{size}), source.{size}) - mapping.lower, 0)

-- section: coded
-- The rows of the source with their codes.
--
-- source  the source
-- codes   the code columns of every quasi-identifier, under names unused in the source
-- maps    one star/recoding/recode#map per quasi-identifier
--
-- One row per row of the source.
select
    source.*,
    {codes}
from {source} as source
{maps}

-- section: numbered
-- The same for many quasi-identifiers: rows are numbered, so that parts of the dimension tables are joined by
-- themselves. Each of hundreds of joins in a row passes on all columns of the joins before it.
--
-- source  the source
-- number  a name unused in the source
-- codes   the code columns of every quasi-identifier, under names unused in the source
-- maps    star/joined for each part of the dimension tables
--
-- One row per row of the source.
with numbered as materialized (
    select
        source.*,
        row_number() over () as {number}
    from {source} as source
)
select
    source.*,
    {codes}
from numbered as source
{maps}

-- section: whole
-- Rows of tuples that are not split: all rows of the tuple have the same levels.
--
-- columns  the released columns, in the source's order
-- mapping  star/recoding/recode_locally#mapping, by the codes
-- labels   one #label per generalized quasi-identifier
-- parted   #unparted if some tuple is split, else empty
select {columns}
from coded as source
{mapping}
{labels}
where not mapping.suppressed
    {parted}

-- section: unparted
-- Condition for tuples that are not split.
and mapping.lower = 0
and mapping.upper is null

-- section: parted
-- Rows of split tuples, whose rows are in several classes. The seed determines the class of each row.
--
-- columns  the released columns, in the source's order
-- codes    the columns with the leaf codes of a row
-- order    one star/recoding/recode_locally#order per other column
-- copy     a name unused in the source
-- chosen   another name unused in the source
-- several  star/recoding/recode_locally#mapping, by the codes, with the tuples of #several
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
-- The part of the mapping for split tuples, whose rows are in several classes.
--
-- mapping  the mapping
(
    select *
    from {mapping}
    where upper is not null
)

-- section: label
-- The join of a leaf code with its texts at every level.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- code   the code of a row's leaf
left join {table}
    on {table}.code = {code}

-- section: are_parted
-- True if some tuple is split: its rows are in several classes.
--
-- mapping  the mapping
--
-- One row.
select count(*) > 0 as parted
from {mapping}
where upper is not null
