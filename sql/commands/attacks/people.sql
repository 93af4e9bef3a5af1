-- The rows of the source in two halves, drawn at random: who is in the release, and the control group.
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
-- The number of a row. Equal rows are anyone's, and each is drawn by itself.
row_number() over (order by hash(drawn, copy), drawn, copy)

-- section: person
-- The number of a person, the same in all rows of the person.
--
-- persons  person_1, person_2, …
-- $key     the key of the draw
dense_rank() over (order by hash($key, {persons}), {persons})

-- section: half
-- The rows for a release.
--
-- columns  value_1, … by the names of the source
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
-- The values of an attribute.
--
-- value   its column
-- people  commands/attacks/people
--
-- One row per value.
select distinct {value} as value
from {people}

-- section: distinct
-- Number of values of an attribute.
--
-- value  its column
count(distinct {value})

-- section: told
-- Counts over all people.
--
-- counts  one #distinct per quasi-identifier
-- people  commands/attacks/people
--
-- One row.
select {counts}
from {people}

-- section: attacked
-- Some people of either half, with one row each.
--
-- people  commands/attacks/people
-- $most   how many of each half
--
-- One row per person.
select *
from {people}
where first
    and number <= 2 * $most
