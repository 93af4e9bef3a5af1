-- The release of a refreshed source: shown rows stay unchanged, new rows have classes of their own. Rows alike in all
-- released cells are numbered: they are interchangeable.
--
-- columns            the released columns, in the source's order
-- cells              the names of the released columns
-- quasi_identifiers  those of the quasi-identifiers
-- row                a name unused in the source
-- copy               another one
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
-- A kept cell; a missing one differs from all others.
--
-- cell  the cell, exact
md5(coalesce('=' || cast({cell} as varchar), ''))

-- section: rows
-- The rows of the source by their tuples and their kept cells.
--
-- codes   code_1, code_2, …
-- row     a name unused in the source
-- hash    #hash of the kept cells
-- source  the source
-- maps    one star/recoding/recode#map per quasi-identifier
--
-- One row per tuple and kept cells.
select
    {codes},
    source.{row} as row,
    count(*) as rows
from (
    select
        source.*,
        {hash} as {row}
    from {source} as source
) as source
{maps}
group by all

-- section: there
-- Shown rows that still exist.
--
-- codes    code_1, code_2, …
-- levels   level_1, level_2, … as shown
-- cells    their texts, as cell_1, cell_2, …
-- shown    #shown of the release before
-- members  one #member per attribute
-- rows     #rows
-- match    one star/recoding/recode#match per attribute
--
-- One row per tuple, kept cells and part.
select
    {codes},
    {levels},
    {cells},
    recoding.row,
    recoding.turn,
    least(rows.rows, recoding.lower + recoding.rows) - recoding.lower as rows
from {shown} as recoding
{members}
join {rows} as rows
    on {match}
    and rows.row = recoding.row
where rows.rows > recoding.lower

-- section: member
-- The member of a shown value.
--
-- table  the dimension table
-- value  the value's column
join {table}
    on {table}.present
    and cast({table}.value as varchar) is not distinct from recoding.{value}

-- section: stay
-- Rows that stay as shown: those of classes with at least k of them left.
--
-- $k      k
-- codes   code_1, code_2, …
-- levels  level_1, level_2, …
-- cells   cell_1, cell_2, …
-- there   #there
--
-- One row per tuple, kept cells and part.
select
    {codes},
    {levels},
    row,
    turn,
    rows,
    cast(
        sum(rows) over (
            partition by {codes}, row
            order by turn, {levels}
            rows between unbounded preceding and current row
        ) - rows as bigint
    ) as lower
from (
    select
        *,
        sum(rows) over (partition by {cells}) as size
    from {there}
)
where size >= $k

-- section: pool
-- Rows that are new, that waited, or whose class has fewer than k rows left.
--
-- codes  code_1, code_2, …, of the rows
-- kept   code_1, code_2, …
-- rows   #rows
-- stay   #stay
-- match  one star/recoding/recode#match per attribute
--
-- One row per tuple and kept cells.
select
    {codes},
    rows.row,
    rows.rows - coalesce(stay.rows, 0) as rows,
    coalesce(stay.rows, 0) as lower
from {rows} as rows
left join (
    select
        {kept},
        row,
        cast(sum(rows) as bigint) as rows
    from {stay}
    group by all
) as stay
    on {match}
    and stay.row = rows.row
where rows.rows > coalesce(stay.rows, 0)

-- section: facts
-- The star of the rows that may go to new classes.
--
-- star    the star
-- pool    #pool
-- codes   code_1, code_2, …
-- match   one star/recoding/recode#match per attribute
--
-- One row per tuple.
select star.* replace (pool.rows as frequency)
from {star} as star
join (
    select
        {codes},
        cast(sum(rows) as bigint) as rows
    from {pool}
    group by all
) as pool
    on {match}

-- section: loss
-- Mean loss of rows by a recoding.
--
-- losses    the sum of one #loss_of per attribute
-- recoding  a relation with codes, levels and rows
-- shares    one #share per attribute
--
-- One row.
select sum(({losses}) * rows) / sum(rows) as loss
from {recoding} as recoding
{shares}

-- section: loss_of
-- The share of the other leaves covered by a cell.
--
-- share  the name of the attribute's share
{share}.loss

-- section: share
-- Loss of an attribute's cells.
--
-- share           a name for it
-- generalization  the generalization relation
-- dimension       the attribute's position
-- code            its column of the recoding
-- level           another one
join {generalization} as {share}
    on {share}.dimension = {dimension}
    and {share}.code = recoding.{code}
    and {share}.level = recoding.{level}

-- section: new
-- The recoding of the pool's tuples: tuples with too much loss wait.
--
-- $dearest  how much is too much, summed over the attributes
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- losses    the sum of one #loss_of per attribute
-- recoding  the recoding of the pool
-- shares    one #share per attribute
--
-- One row per tuple that does not wait.
select
    {codes},
    {levels}
from {recoding} as recoding
{shares}
where not recoding.suppressed
    and {losses} <= $dearest

-- section: nobody
-- No tuple of the pool: all of it waits.
--
-- columns  code_1, …, level_1, …, and whose if persons are counted
-- stay     #stay, with these columns
select
    {columns}
from {stay}
limit 0

-- section: mapping
-- The recoding of staying and new rows.
--
-- $turn   the number of this refresh
-- codes   code_1, code_2, …, and whose if persons are counted
-- levels  level_1, level_2, …
-- stay    #stay
-- pooled  those of the pool
-- new     #new
-- pool    #pool
-- match   one star/recoding/recode#match per code
--
-- One row per tuple, kept cells and part: its rows after lower, up to upper.
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
-- The recoding of all rows: waiting ones are suppressed.
--
-- $turn    the number of this refresh
-- codes    code_1, code_2, …
-- levels   level_1, level_2, …
-- mapping  #mapping
-- star     the star
-- leaves   its leaf columns, as code_1, code_2, …
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
-- The level of a suppressed cell: its own.
cast(0 as utinyint)

-- section: shown
-- The shown rows with their cells, for the next refresh: with the values as texts.
--
-- values   value_1, value_2, …
-- levels   level_1, level_2, …
-- mapping  #mapping
-- members  one star/recoding/single_dimension#member per attribute
--
-- One row per tuple, kept cells and part.
select
    {values},
    {levels},
    mapping.row,
    mapping.turn,
    mapping.lower,
    mapping.upper - mapping.lower as rows
from {mapping} as mapping
{members}

-- section: counted
-- Numbers of rows: staying, new in the release, and shown before but gone or no longer shown.
--
-- $turn    the number of this refresh
-- mapping  #mapping
-- shown    #shown of the release before
--
-- One row.
select
    cast(coalesce(sum(upper - lower) filter (where turn < $turn), 0) as bigint) as stayed,
    cast(coalesce(sum(upper - lower) filter (where turn = $turn), 0) as bigint) as new,
    (
        select cast(coalesce(sum(rows), 0) as bigint)
        from {shown}
    ) as before
from {mapping}

-- section: nothing
-- Nothing was shown before.
--
-- values  value_1, value_2, …, all missing
-- levels  level_1, level_2, …
select
    {values},
    {levels},
    cast(0 as bigint) as row,
    cast(0 as bigint) as turn,
    cast(0 as bigint) as lower,
    cast(0 as bigint) as rows
limit 0

-- section: no_value
-- A missing value.
cast(null as varchar)

-- section: last
-- The number of the last refresh.
--
-- shown  #shown of the release before
--
-- One row.
select coalesce(max(turn), -1) as turn
from {shown}
