-- The classes of a table beside those of its population, both as texts.
--
-- match       one #match per quasi-identifier
-- values      the quasi-identifier's columns of the classes
-- classes     the classes of the table
-- population  the classes of the population: text_1, text_2, …, people
--
-- One row per number of rows, and of people in the population; the people are missing if the population has no such
-- class.
select
    classes.size,
    population.people,
    count(*) as classes
from (
    select
        {values},
        cast(sum(size) as bigint) as size
    from {classes}
    group by {values}
) as classes
left join {population} as population
    on {match}
group by
    classes.size,
    population.people
order by
    classes.size,
    population.people

-- section: match
-- Condition for a cell of a class equal to a class of the population; missing values are equal.
--
-- value  its column of the classes
-- text   its column of those of the population
cast(classes.{value} as varchar) is not distinct from population.{text}

-- section: people
-- The classes of a population, as texts.
--
-- texts    the quasi-identifier's columns, as text_1, text_2, …
-- people   how many people a row stands for
-- classes  the classes of the population, over more columns: value_1, value_2, …, size
--
-- One row per class. Its people are missing if a number of people is invalid.
select
    {texts},
    cast(case when count({people}) = count(*) then sum(size * {people}) end as bigint) as people
from {classes}
group by all

-- section: counted
-- Number of people that a row stands for, from a column: a whole number of eleven digits at most, so that no sum is too
-- large. It is missing for other values: a cast alone would round 2.5 to 3.
--
-- count  the column
case
    when regexp_full_match(cast({count} as varchar), ' *[0-9]{1,11}(\.0*)? *')
        then try_cast(cast({count} as varchar) as bigint)
end

-- section: text
-- A cell as it reads.
--
-- value  the cell
cast({value} as varchar)
