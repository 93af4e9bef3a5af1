-- The equivalence classes of a table, compared with the same classes of its population. Both have their values as
-- texts.
--
-- match       one #match per quasi-identifier
-- values      the quasi-identifier's columns of the classes
-- classes     the classes of the table
-- population  the classes of the population: text_1, text_2, …, people
--
-- One row per size of a class and number of its people in the population, with the number of such classes. The people
-- are missing if the population lacks the class.
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
-- Condition for equal values of an attribute in a table's class and a population's class; missing values are equal.
--
-- value  the attribute's column of the table's classes
-- text   the attribute's column of the population's classes
cast(classes.{value} as varchar) is not distinct from population.{text}
