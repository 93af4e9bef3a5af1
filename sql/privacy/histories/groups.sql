-- The persons of a table, and how many have the same history at a node: the same value groups, each as often.
--
-- levels  the node's level columns, as value_1, value_2, …
-- values  value_1, value_2, …
-- visits  privacy/histories/visits
--
-- One row per person.
select
    person,
    rows,
    count(*) over (partition by history) as persons
from (
    select
        person,
        list([{values}, times] order by {values}) as history,
        cast(sum(times) as bigint) as rows
    from (
        select
            person,
            {levels},
            cast(sum(frequency) as bigint) as times
        from {visits}
        group by all
    )
    group by person
)

-- section: outliers
-- Number of rows of persons with a history of too few persons.
--
-- $k      the fewest allowed
-- groups  privacy/histories/groups
--
-- One row.
select cast(coalesce(sum(rows), 0) as bigint) as outliers
from (
    {groups}
)
where persons < $k

-- section: left_out
-- The persons with a history of too few persons.
--
-- $k      the fewest allowed
-- groups  privacy/histories/groups
-- told    the columns that identify persons, as person_1, person_2, …
-- codes   privacy/persons/codes
--
-- One row per person.
select
    code,
    {told}
from (
    {groups}
) as groups
join {codes} as codes
    on codes.code = groups.person
where persons < $k

-- section: nothing
-- Condition for a value group violating histories: none does by itself.
false
