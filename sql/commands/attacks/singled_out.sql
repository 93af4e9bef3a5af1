-- Number of predicates that single out one person: of the people in the release, and of the control group.
--
-- people      commands/attacks/people
-- record      #record
-- values      value_1, value_2, …
-- predicates  #predicates or #shuffled
-- covered     a commands/masking/masks#first, then one commands/masking/masks#covered each
-- same        #same if predicates have the other columns, too, or nothing
--
-- One row. A predicate is true of people whom the cells cover; a person is one, whatever rows are theirs.
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
-- The kept columns must also be those of the predicate.
where base.record = weighed.record

-- section: record
-- All kept cells of a row, with missing cells equal to each other; or a constant.
--
-- cells  a number, known_1, known_2, …; or the number alone
row({cells})

-- section: predicates
-- Some of the different records of a release, as predicates.
--
-- cells     cell_1, cell_2, …
-- record    #record
-- released  commands/attacks/released
-- $most     the most predicates to yield
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
-- The same number of predicates with cells combined at random, each from another record.
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
-- The record of a column's cells.
--
-- other       the alias of the joined record
-- predicates  #predicates
-- distance    how many records lie between
-- total       how many predicates there are
join {predicates} as {other}
    on {other}.predicate = (base.predicate + {distance} - 1) % {total} + 1
