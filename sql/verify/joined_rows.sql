-- Persons who stay hidden when the rows of one person are joined by kept columns.
--
-- $k       the fewest persons required in a group
-- members  #members
-- sought   #sought
--
-- One row per key, and one without a key for all of them: the fewest persons of a group, how many persons are alone,
-- and how many are in a group of fewer than k persons.
select
    key,
    min(persons) as fewest,
    count(distinct person) filter (where persons < 2) as alone,
    count(distinct person) filter (where persons < $k) as below
from (
    select
        key,
        person,
        size as persons
    from {sought}
    where classes = 1
    union all
    select
        key,
        person,
        count(*) as persons
    from (
        select
            start.key,
            start.value,
            start.person
        from {sought} as start
        join {members} as candidate
            on candidate.class = start.class
        join {sought} as further
            on further.key = start.key
            and further.value = start.value
            and further.person = start.person
            and further.place > 1
        join {members} as reached
            on reached.person = candidate.person
            and reached.class = further.class
        where start.place = 1
            and start.classes > 1
        group by
            start.key,
            start.value,
            start.person,
            start.classes,
            candidate.person
        having count(*) = start.classes - 1
    ) as hidden
    group by
        key,
        value,
        person
) as counted
group by grouping sets ((key), ())
order by key nulls last

-- section: constant
-- Number of persons with several rows, and number of these with at most one value of a column.
--
-- constant  one #of_column per column
-- values    one #values per column
-- persons   the columns that identify persons, in their grouped form
-- release   the release, with these
--
-- One row.
select
    count(case when several > 1 then 1 end) as persons,
    {constant}
from (
    select
        count(*) as several,
        {values}
    from {release} as relation
    group by {persons}
) as rows_of_person

-- section: of_column
-- Persons with several rows and at most one value of a column. A missing cell is no value.
--
-- values  #values, by its name
count(case when several > 1 and {values} < 2 then 1 end)

-- section: values
-- Number of values of a column for a person.
--
-- cell  store/cell/exact of the column
count(distinct {cell})

-- section: numbered
-- The rows of a release as numbers: of a person, of a class, and of the values of some columns.
--
-- numbers  one #number per person and quasi-identifier (QID), one #number_of_value per column
-- release  the release, with the columns that identify persons
--
-- One row per row of the release.
select {numbers}
from {release} as relation

-- section: number
-- The number of a combination of cells, from 1. A missing cell is a value.
--
-- cells  the cells, in their grouped form
dense_rank() over (order by {cells})

-- section: number_of_value
-- The number of a value of a column, missing for a missing value.
--
-- cell  store/cell/exact of the column
case when {cell} is not null then dense_rank() over (order by {cell}) end

-- section: members
-- Persons with a row in each class of a QID.
--
-- class     the number of the class
-- numbered  #numbered
--
-- One row per person and class, with how many persons the class has.
select
    *,
    count(*) over (partition by class) as size
from (
    select distinct
        person,
        {class} as class
    from {numbered}
)

-- section: sought
-- The classes that a reader joins for a person by a value of a key, if fewer than k persons have the value.
--
-- $k       the fewest persons required in a group
-- class    the number of the class
-- keys     one #key per key
-- members  #members
--
-- One row per key, value, person and class: how many persons the class has, its place among the classes of the person
-- by their size, from 1, and how many classes these are.
select
    *,
    row_number() over (partition by key, value, person order by size, class) as place,
    count(*) over (partition by key, value, person) as classes
from (
    select distinct
        key,
        value,
        person,
        {class} as class
    from (
        {keys}
    ) as valued
    join (
        select
            key,
            value
        from (
            {keys}
        ) as valued
        group by
            key,
            value
        having count(distinct person) < $k
    ) as rare
        using (key, value)
) as joined
join {members} as members
    using (person, class)

-- section: key
-- The rows with a value of a column.
--
-- key       the number of the key
-- value     the number of the value
-- class     the number of the class
-- numbered  #numbered
--
-- One row per row with a value.
select
    {key} as key,
    {value} as value,
    person,
    {class}
from {numbered}
where {value} is not null

-- section: key_of_all
-- The rows by the values of several columns together. A missing value is a value, too.
--
-- key       the number of the key
-- values    the numbers of the values
-- class     the number of the class
-- numbered  #numbered
--
-- One row per row.
select
    {key} as key,
    dense_rank() over (order by {values}) as value,
    person,
    {class}
from {numbered}

-- section: pairs
-- Number of compared pairs of a person and a class: the persons of the smallest class of each group, once for each of
-- its other classes.
--
-- sought  #sought
--
-- One row.
select cast(coalesce(sum(cast(size as hugeint) * (classes - 1)), 0) as hugeint) as pairs
from {sought}
where place = 1
