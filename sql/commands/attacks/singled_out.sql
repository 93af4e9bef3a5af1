-- Singling-out attack: number of predicates matching exactly one person, among the people in the release and among the
-- control group.
--
-- people      commands/attacks/people
-- record      #record
-- values      value_1, value_2, …
-- predicates  #predicates or #shuffled
-- covered     commands/masking/masks#first for one quasi-identifier, then commands/masking/masks#covered for each
--             further quasi-identifier
-- same        #same if predicates have the other columns, too, or nothing
--
-- One row. A predicate is a record of released cells. It matches a person if its cells cover a row of the person;
-- several matching rows of one person count once.
with weighed as (
    select *
    from {predicates}
),
tuples as (
    select
        {values},
        {record} as record,
        min(number) filter (where not held_out) as first_released,
        max(number) filter (where not held_out) as last_released,
        min(number) filter (where held_out) as first_held_out,
        max(number) filter (where held_out) as last_held_out
    from {people}
    group by all
)
select
    count(*) filter (where first_released = last_released),
    count(*) filter (where first_held_out = last_held_out)
from (
    select
        min(first_released) as first_released,
        max(last_released) as last_released,
        min(first_held_out) as first_held_out,
        max(last_held_out) as last_held_out
    from tuples as base
    {covered}
    {same}
    group by weighed.predicate
) as matched

-- section: same
-- Condition: the kept cells of a row equal those of the predicate.
where base.record = weighed.record

-- section: record
-- All kept cells of a row as one value, with missing cells equal to each other; a constant if a predicate has only
-- quasi-identifiers.
--
-- cells  a number, known_1, known_2, …; or the number alone
row({cells})

-- section: predicates
-- Predicates: at most $most of the different records of a release, drawn at random.
--
-- cells     cell_1, cell_2, …
-- record    #record
-- released  commands/attacks/released
-- $most     the largest number of predicates
-- $key      the key of the draw
--
-- One row per predicate, numbered from 1.
select *
from (
    select
        *,
        row_number() over (order by hash($key, {cells}, record), {cells}) as predicate
    from (
        select distinct
            {cells},
            {record} as record
        from {released}
    ) as records
) as records
where predicate <= $most

-- section: shuffled
-- Baseline predicates, as many as #predicates: each combines cells of different records, one record per column.
--
-- cells       the columns, as cell_1, cell_2, …
-- predicates  #predicates
-- moved       one #moved per column
--
-- One row per predicate.
select
    base.predicate,
    {cells}
from {predicates} as base
{moved}

-- section: moved
-- Join with the record from which a baseline predicate (a guess made of several records) takes the cell of one column.
--
-- other       the alias of the joined record
-- predicates  #predicates
-- distance    the difference between the two records' numbers
-- total       the number of predicates
join {predicates} as {other}
    on {other}.predicate = (base.predicate + {distance} - 1) % {total} + 1
