-- Number of persons with the same history at a node, for each person of a table. A history is the multiset of value
-- groups of a person's rows; a node is one generalization level per quasi-identifier.
--
-- levels  the node's level columns, as value_1, value_2, …
-- values  value_1, value_2, …
-- visits  privacy/histories/visits
--
-- One row per person: the number of the person, the person's number of rows, and the number of persons with the same
-- history.
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
-- Number of rows to suppress at a node: all rows of persons with the same history as fewer than k persons.
--
-- $k      the smallest allowed number of persons with the same history
-- groups  privacy/histories/groups
--
-- One row.
select cast(coalesce(sum(rows), 0) as bigint) as outliers
from (
    {groups}
)
where persons < $k

-- section: left_out
-- The suppressed persons at a node: their history is shared by fewer than k persons.
--
-- $k      the smallest allowed number of persons with the same history
-- groups  privacy/histories/groups
-- told    the columns that identify persons, as person_1, person_2, …
-- codes   privacy/persons/codes
--
-- One row per suppressed person.
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
-- Condition for a value group in violation of the model of histories: always false, since a single group cannot violate
-- this model.
false
