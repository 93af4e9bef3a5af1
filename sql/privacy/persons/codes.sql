-- The persons of a table, numbered from 0.
--
-- persons  the columns of the base frequency set that identify persons, none of them missing
-- base     the base frequency set
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
-- A row of the base frequency set finds the number of its person. One of the population has none.
--
-- codes  privacy/persons/codes, under its own name
-- match  one #match per column of persons
left join {codes}
    on {match}

-- section: match
-- Condition for an equal column of persons.
--
-- codes   privacy/persons/codes, under its own name
-- person  the column
{codes}.{person} = base.{person}

-- section: spread
-- Distribution of the rows of persons in a table.
--
-- persons  the columns of the base frequency set that identify persons
-- values   the key of its tuples
-- missing  one #missing per column of persons
-- base     the base frequency set
--
-- One row: the persons; how many pairs of a person and a tuple there are; the rows; how many combinations of the base
-- frequency set have no person.
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
-- Condition for a column without a person.
--
-- person  the column
{person} is null

-- section: alike
-- Number of persons, with persons merged who differ only in case, accents, spaces or Unicode form.
--
-- folded  the columns that identify persons, texts as store/text#folded
-- codes   privacy/persons/codes
--
-- One row.
select count(*) as persons
from (
    select distinct
        {folded}
    from {codes}
)
