-- The base frequency set united with the tuples of its population. A tuple of the population has people, and no rows.
--
-- base        the base frequency set: number of rows per combination of values
-- population  the people of the population by tuple: value_1, value_2, …, people
--
-- One row per row of base, with 0 people, and one per row of population, with frequency 0. sum(frequency) and
-- sum(checksum) are the same as in the base frequency set.
(
    select
        *,
        cast(0 as bigint) as people
    from {base}
    union all by name
    select
        *,
        0 as checksum,
        0 as frequency
    from {population}
)

-- section: typed
-- Number of people of a population by tuple, with the values in the column types of the source.
--
-- values  one #value per quasi-identifier, as value_1, value_2, …
-- told    the population's tuples with their values as texts: text_1, text_2, …, people
--
-- One row per tuple.
select
    {values},
    people
from {told}

-- section: value
-- A value of the population in its type in the source.
--
-- text  the text of the value
-- type  the type of the quasi-identifier's column in the source
try_cast({text} as {type})

-- section: misread
-- Number of a population's distinct texts of one quasi-identifier that are no value of the source's type, or whose
-- value has another text.
--
-- text  the column with the texts of the values
-- type  the type of the quasi-identifier's column in the source
-- told  the population's tuples with their values as texts
--
-- One row.
select count(distinct {text}) as strange
from {told}
where {text} is not null
    and cast(try_cast({text} as {type}) as varchar) is distinct from {text}

-- section: size
-- Size of a population.
--
-- population  the people of the population by tuple
--
-- One row: the number of people, and the number of tuples.
select
    cast(sum(people) as bigint) as people,
    count(*) as tuples
from {population}

-- section: domain
-- The distinct values of one quasi-identifier in the base frequency set or in the population.
--
-- value       the quasi-identifier's column in both relations
-- base        the base frequency set: number of rows per combination of values
-- population  the people of the population by tuple
--
-- One row per distinct value, the missing one included.
select {value} as value
from {base}
union
select {value}
from {population}

-- section: members
-- The members (leaf values) of a hierarchy built over source and population. `present` becomes true only for values of
-- the source.
--
-- members  the members of the hierarchy: each leaf with its texts at every level
-- value    the attribute's column of the base frequency set
-- base     the base frequency set: number of rows per combination of values
--
-- One row per member: `inhabited` is true if the source or the population has the value.
(
    select
        * replace (present and exists (
            select 1
            from (select distinct {value} as value from {base}) as own
            where own.value is not distinct from member.value
        ) as present),
        present as inhabited
    from {members} as member
)

-- section: join
-- Join of a dimension table with the tuples of the source and of the population.
--
-- table  the dimension table of the attribute: codes and texts at every level
-- value  the attribute's column in the tuples
join (select * from {table} where inhabited) as {table}
    on {table}.value is not distinct from base.{value}

-- section: own
-- The star (table of tuples) of the source alone, from the star of the source and its population.
--
-- peopled  the star with the tuples of the population, which may have no rows
--
-- One row per tuple of the source.
select *
from {peopled}
where frequency > 0

-- section: beyond
-- Check of a population against its source: a tuple should have at least as many people as rows.
--
-- people   the column with the number of people per tuple
-- peopled  the star of the source and its population
--
-- One row: the number of people, and the number of tuples with more rows than people.
select
    cast(sum({people}) as bigint) as people,
    count(*) filter (where frequency > {people}) as tuples
from {peopled}

-- section: carried
-- Number of the population's people in a tuple.
cast(coalesce(sum(base.people), 0) as bigint)

-- section: counted
-- Number of suppressed rows for a value group in violation of the requirement. It is the number of rows, or 1 for a
-- group with people of the population but without rows.
greatest(frequency, 1)

-- section: rows
-- Condition for a value group with rows in violation of a model that applies only to groups with rows.
--
-- models  privacy/violating of these models
(frequency > 0 and {models})
