-- The rows of the source, with their persons drawn at random into two halves: the people in the release, and the
-- control group (held_out).
--
-- columns  the columns of the source as value_1, …, known_1, …, person_1, … and beside_1, …
-- number   #row or #person
-- rows     the columns of the source, which distinguish its rows
-- source   the source
-- $key     the key of the draw
--
-- One row per row of the source: number is the number of its person, from 1, at random; first marks one row of each
-- person.
select
    *,
    number % 2 = 0 as held_out,
    row_number() over (partition by number order by drawn) = 1 as first
from (
    select
        *,
        {number} as number
    from (
        select
            {columns},
            hash($key, {rows}) as drawn,
            row_number() over (partition by hash($key, {rows})) as copy
        from {source} as source
    ) as drawn
) as numbered

-- section: row
-- The number of a row's person if every row is a person of its own: the row's position in a random order. Equal rows
-- have different numbers.
row_number() over (order by hash(drawn, copy), drawn, copy)

-- section: person
-- The number of a person, identical in all rows of the person: the person's position in a random order.
--
-- persons  person_1, person_2, …
-- $key     the key of the draw
dense_rank() over (order by hash($key, {persons}), {persons})

-- section: half
-- The rows of the people in the release, with the column names of the source.
--
-- columns  value_1, … under the names of the source's columns
-- people   commands/attacks/people
--
-- One row per row of that half.
select {columns}
from {people}
where not held_out

-- section: sizes
-- Number of people in either half, and number of rows in the first half.
--
-- people  commands/attacks/people
--
-- One row.
select
    count(distinct case when not held_out then number end),
    count(distinct case when held_out then number end),
    count(*) filter (where not held_out)
from {people}

-- section: values
-- The different values of a quasi-identifier in the source.
--
-- value   the column of the quasi-identifier
-- people  commands/attacks/people
--
-- One row per value.
select distinct {value} as value
from {people}

-- section: distinct
-- Number of different values of a quasi-identifier in the source.
--
-- value  the column of the quasi-identifier
count(distinct {value})

-- section: told
-- Numbers of different values of all quasi-identifiers, over the rows of both halves.
--
-- counts  one #distinct per quasi-identifier
-- people  commands/attacks/people
--
-- One row.
select {counts}
from {people}

-- section: attacked
-- The people to attack: at most $most of either half, with one row each.
--
-- people  commands/attacks/people
-- $most   the largest number of people of each half
--
-- One row per person.
select *
from {people}
where first
    and number <= 2 * $most
