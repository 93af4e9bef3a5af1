-- The base frequency set beside its population: a tuple of the population is one without rows.
--
-- base        the base frequency set
-- population  the people of the population by tuple: value_1, value_2, …, people
--
-- One row per row of either. sum(frequency) and sum(checksum) are those of the base frequency set.
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
-- The people of a population by tuple, in the source's form of values.
--
-- values  one #value per quasi-identifier, as value_1, value_2, …
-- told    the classes of the population, as texts: text_1, text_2, …, people
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
-- type  the type
try_cast({text} as {type})

-- section: misread
-- Number of values of one quasi-identifier that do not read as values of the source's type.
--
-- text  the texts of the values
-- type  the type
-- told  the classes of the population
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
-- One row: its people, and its tuples.
select
    cast(sum(people) as bigint) as people,
    count(*) as tuples
from {population}

-- section: domain
-- The values of one quasi-identifier, those of the population included.
--
-- value       its column
-- base        the base frequency set
-- population  the people of the population by tuple
--
-- One row per distinct value, the missing one included.
select {value} as value
from {base}
union
select {value}
from {population}

-- section: members
-- The members of a hierarchy including values of the population: `present` is true for values of the source alone.
--
-- members  the hierarchy's members
-- value    the attribute's column of the base frequency set
-- base     the base frequency set
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
-- A dimension joined to tuples of the source and of the population.
--
-- table  the dimension table
-- value  the attribute's column of the tuples
join (select * from {table} where inhabited) as {table}
    on {table}.value is not distinct from base.{value}

-- section: own
-- The star of the source alone, from the star with its population.
--
-- peopled  the star with the population's tuples without rows
--
-- One row per tuple of the source.
select *
from {peopled}
where frequency > 0

-- section: beyond
-- People in a star with its population.
--
-- people   how many people they have
-- peopled  the star with its population
--
-- One row: its people, and how many tuples have more rows than people.
select
    cast(sum({people}) as bigint) as people,
    count(*) filter (where frequency > {people}) as tuples
from {peopled}

-- section: carried
-- The people of a tuple.
cast(coalesce(sum(base.people), 0) as bigint)

-- section: counted
-- Count of a value group that violates the requirement: its rows, or one for a group of the population alone.
greatest(frequency, 1)

-- section: rows
-- Condition for a value group with rows that violates one of the models of these alone.
--
-- models  privacy/violating
(frequency > 0 and {models})
