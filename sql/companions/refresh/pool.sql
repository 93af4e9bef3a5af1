-- The pool: source rows without a class at present. These are new rows, rows suppressed (waiting) so far, and rows of
-- dissolved classes.
--
-- codes     code_1, code_2, …, of the rows
-- kept      code_1, code_2, …
-- identity  the columns that identify a row: row, and whose if persons are counted
-- leaves    the codes of the members, as code_1, code_2, …
-- rows      companions/refresh/refresh#rows
-- maps      one star/recoding/recode#map per attribute
-- stay      #stay
-- match     one star/recoding/recode#match per attribute
--
-- One row per tuple, kept cells and person.
select
    {codes},
    {identity},
    rows.rows - coalesce(stay.rows, 0) as rows,
    coalesce(stay.rows, 0) as lower
from (
    select
        {leaves},
        source.*
    from {rows} as source
    {maps}
) as rows
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

-- section: member
-- Join of a released row's value with the dimension table, for the value's leaf code.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- value  the value's column
join {table}
    on {table}.present
    and cast({table}.value as varchar) is not distinct from {value}

-- section: stay
-- The rows that stay in the release with unchanged cells; rows with the same key are numbered anew (lower, upper).
--
-- codes     code_1, code_2, …
-- levels    level_1, level_2, … as shown
-- identity  the columns that identify a row: row, and whose if persons are counted
-- leaves    the codes of the members, as code_1, code_2, …
-- fates     companions/refresh/fates
-- members   one #member per attribute
--
-- One row per tuple, kept cells, person and part.
select
    {codes},
    {levels},
    {identity},
    turn,
    rows - left_now as rows,
    cast(
        sum(rows - left_now) over (
            partition by {codes}, row
            order by turn, lower
            rows between unbounded preceding and current row
        ) - (rows - left_now) as bigint
    ) as lower
from (
    select
        {leaves},
        fates.*
    from {fates} as fates
    {members}
)
where rows > left_now

-- section: without_barred
-- The pool without barred rows: a reader would take these for held or deleted rows.
--
-- pool    companions/refresh/pool
-- barred  companions/refresh/held#barred of all kept cells, and of each
--
-- One row per tuple and kept cells.
select *
from {pool}
where row not in (
    {barred}
)

-- section: facts
-- The frequency set of the pool, as input of the search for new classes.
--
-- star      the star (frequency set of the source), or privacy/histories/visits
-- replaced  the star's columns replaced by columns of the pool, such as `pool.rows as frequency`
-- persons   companions/refresh/persons#numbers, or nothing
-- keys      code_1, code_2, …, and if persons are counted whose and cohort
-- pool      the pool
-- match     one star/recoding/recode#match per attribute, and for whose if persons are counted
--
-- One row per tuple, and person if persons are counted.
select star.* replace ({replaced})
from {star} as star
{persons}
join (
    select
        {keys},
        cast(sum(rows) as bigint) as rows
    from {pool}
    group by all
) as pool
    on {match}

-- section: new
-- The recoding of the pool's tuples that join the release. Tuples with too much information loss wait.
--
-- $dearest  the largest accepted loss of a tuple, summed over the attributes
-- codes     code_1, code_2, …
-- levels    level_1, level_2, …
-- losses    the sum of one companions/refresh/loss#loss_of per attribute
-- recoding  the recoding of the pool
-- shares    one companions/refresh/loss#share per attribute
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
-- An empty relation of recoded tuples: the whole pool waits.
--
-- columns  code_1, …, level_1, …, and whose if persons are counted
-- stay     #stay, with these columns
select
    {columns}
from {stay}
limit 0
