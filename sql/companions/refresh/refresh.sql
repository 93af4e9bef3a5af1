-- The release of a refreshed source: rows released before keep their cells, and new rows have classes of their own.
-- Rows alike in all released cells are interchangeable, and are assigned to classes by a running number.
--
-- columns            the released columns, in the source's order
-- cells              the names of the released columns
-- quasi_identifiers  the names of the quasi-identifiers
-- row                a name unused in the source
-- copy               another name unused in the source
-- hash               #hash of the kept cells
-- source             the source
-- maps               one star/recoding/recode#map per quasi-identifier
-- mapping            #mapping
-- match              one star/recoding/recode#match per quasi-identifier
-- shuffled           star/recoding/recode#shuffled
--
-- One row per row of the source that does not wait.
select {cells}
from (
    select
        {columns}
    from (
        select
            source.*,
            row_number() over (partition by {quasi_identifiers}, source.{row}) as {copy}
        from (
            select
                source.*,
                {hash} as {row}
            from {source} as source
        ) as source
    ) as source
    {maps}
    join {mapping} as mapping
        on {match}
        and mapping.row = source.{row}
        and source.{copy} > mapping.lower
        and source.{copy} <= mapping.upper
) as released
order by {shuffled}

-- section: hash
-- Hash of the kept cells of a row, the same for every version of the database: a whole number.
--
-- cells  one #cell per kept column
cast(md5_number_lower({cells}) >> 1 as bigint)

-- section: cell
-- A kept cell as part of the hash. A missing cell differs from all other cells.
--
-- cell  the cell, exact
md5(coalesce('=' || cast({cell} as varchar), ''))

-- section: rows
-- Number of source rows per tuple, kept cells and, if k counts persons, person.
--
-- values    the quasi-identifiers, as value_1, value_2, …
-- identity  #hash of the kept cells, as row, and if persons are counted companions/refresh/persons, as whose
-- source    the source
--
-- One row per tuple, kept cells and person.
select
    {values},
    {identity},
    count(*) as rows
from {source} as source
group by all

-- section: mapping
-- The mapping: the recoding of all released rows, staying and new.
--
-- $turn   the number of this refresh
-- codes   code_1, code_2, …, and whose if persons are counted
-- levels  level_1, level_2, …
-- stay    companions/refresh/pool#stay
-- pooled  the codes of the pool
-- new     companions/refresh/pool#new
-- pool    companions/refresh/pool
-- match   one star/recoding/recode#match per code
--
-- One row per tuple, kept cells and part (rows with one class since one refresh). Rows of a tuple with the same kept
-- cells are numbered from 1: the part has the numbers above lower, up to upper.
select
    {codes},
    {levels},
    row,
    turn,
    lower,
    lower + rows as upper
from {stay}
union all
select
    {pooled},
    {levels},
    pool.row,
    cast($turn as bigint) as turn,
    pool.lower,
    pool.lower + pool.rows as upper
from {pool} as pool
join {new} as new
    on {match}

-- section: recoding
-- The recoding of all source rows. Waiting rows are suppressed.
--
-- $turn    the number of this refresh
-- codes    code_1, code_2, …
-- levels   level_1, level_2, …
-- mapping  #mapping
-- star     the star (frequency set of the source)
-- leaves   the star's leaf columns, as code_1, code_2, …
-- zeros    one #zero per attribute, as level_1, level_2, …
-- match    one star/recoding/recode#match per attribute
--
-- One row per tuple and part.
select
    {codes},
    {levels},
    turn,
    cast(sum(upper - lower) as bigint) as frequency,
    false as suppressed
from {mapping}
group by all
union all
select
    {leaves},
    {zeros},
    cast($turn as bigint) as turn,
    star.frequency - coalesce(shown.rows, 0) as frequency,
    true as suppressed
from {star} as star
left join (
    select
        {codes},
        cast(sum(upper - lower) as bigint) as rows
    from {mapping}
    group by all
) as shown
    on {match}
where star.frequency > coalesce(shown.rows, 0)

-- section: zero
-- The level recorded for a cell of a suppressed row: 0.
cast(0 as utinyint)
