-- The release of a local recoding where the working store makes it: rows find the codes of their tuples once, and only
-- where the rows of a tuple part they are numbered. It has the rows of star/recoding/recode_locally.
--
-- source    the source
-- codes     the codes of every quasi-identifier, by names that no column of the source has
-- maps      one star/recoding/recode#map per quasi-identifier
-- cells     the names of the columns that leave
-- rows      #whole and, where rows of a tuple part, #parted
-- shuffled  star/recoding/recode#shuffled
--
-- One row per row of the source that is not suppressed. What is materialized keeps the joins in this order: DuckDB 2.0
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
-- Rows of tuples that go to one class whole.
--
-- columns  the released columns, in the source's order
-- mapping  star/recoding/recode_locally#mapping, by the codes
-- labels   one #label per quasi-identifier that is generalized
-- parted   #unparted where rows of a tuple part, or nothing
select {columns}
from coded as source
{mapping}
{labels}
where not mapping.suppressed
    {parted}

-- section: unparted
-- Only tuples whose rows are together.
and mapping.lower = 0
and mapping.upper is null

-- section: parted
-- Rows of tuples that go to several classes: the seed decides which rows to which.
--
-- columns  the released columns, in the source's order
-- codes    those of the leaves
-- order    one star/recoding/recode_locally#order per other column
-- copy     a name that no column of the source has
-- chosen   another one
-- several  star/recoding/recode_locally#mapping, by the codes, of the mapping's #several
-- mapping  star/recoding/recode_locally#mapping, of the whole mapping
-- labels   one #label per quasi-identifier that is generalized
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
-- The tuples whose rows part.
--
-- mapping  the mapping
(
    select *
    from {mapping}
    where upper is not null
)

-- section: label
-- What a code reads at every level.
--
-- table  the dimension table
-- code   the code of a row's leaf
left join {table}
    on {table}.code = {code}

-- section: are_parted
-- Whether rows of a tuple part.
--
-- mapping  the mapping
--
-- One row.
select count(*) > 0 as parted
from {mapping}
where upper is not null
