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
