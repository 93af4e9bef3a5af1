-- The persons of a table, each with a number from 0 on.
--
-- persons  the columns of the base frequency set that identify persons, none of them missing
-- base     the base frequency set: number of rows per combination of values
--
-- One row per person.
select
    {persons},
    row_number() over (order by {persons}) - 1 as code
from (
    select distinct {persons}
    from {base}
)

-- section: coded
-- Join of a row in the base frequency set with the number of its person; rows of the population have no person.
--
-- codes  the relation privacy/persons/codes, by its name
-- match  one #match per column of persons
left join {codes}
    on {match}

-- section: match
-- Condition for an equal value in one of the columns that identify persons.
--
-- codes   the relation privacy/persons/codes, by its name
-- person  a column that identifies persons
{codes}.{person} = base.{person}

-- section: spread
-- Layout of the rows of persons in a table: one row per person, rows of one tuple, or rows of several tuples.
--
-- persons  the columns of the base frequency set that identify persons
-- values   the columns of a tuple
-- missing  one #missing per column of persons
-- base     the base frequency set: number of rows per combination of values
--
-- One row: the number of persons, the number of different pairs of a person and a tuple, the number of rows, and the
-- number of rows of the base frequency set with a missing person.
select
    (
        select count(*)
        from (
            select distinct {persons}
            from {base}
        )
    ) as persons,
    (
        select count(*)
        from (
            select distinct
                {values},
                {persons}
            from {base}
        )
    ) as pairs,
    cast(sum(frequency) as bigint) as rows,
    count(*) filter (where {missing}) as without
from {base}

-- section: missing
-- Condition for a missing value in one of the columns that identify persons.
--
-- person  a column that identifies persons
{person} is null

-- section: alike
-- Number of persons, if persons count as one whose identifying texts differ only in case, accents, spaces or Unicode
-- form.
--
-- folded  the columns that identify persons, texts as store/text#folded
-- codes   privacy/persons/codes, or classes over these columns and more
--
-- One row.
select count(*) as persons
from (
    select distinct
        {folded}
    from {codes}
)

-- section: single
-- Counts for finding a column that identifies persons alone, although several columns (the key) are said to do so.
--
-- person   the column
-- persons  the columns of the base frequency set that identify persons
-- values   the columns of a tuple
-- base     the base frequency set: number of rows per combination of values
--
-- One row: the number of values with several keys, the number of these values with one tuple in all rows, and the share
-- of the pairs of a key and a tuple that have the most frequent tuple.
with keys as materialized (
    select distinct
        {persons},
        {values}
    from {base}
)

select
    count(*) filter (where keys > 1) as several,
    count(*) filter (where keys > 1 and tuples = 1) as alike,
    (
        select max(pairs) / sum(pairs)
        from (
            select count(*) as pairs
            from keys
            group by {values}
        )
    ) as largest
from (
    select
        count(distinct row({persons})) as keys,
        count(distinct row({values})) as tuples
    from keys
    group by {person}
)
