-- k of joined rows: a reader joins the rows of one person by a key, that is, by kept columns constant for a person.
-- Counted are the persons with rows in all classes of the joined rows: these form a group.
--
-- $k       the fewest persons required in a group
-- members  #members
-- sought   #sought
--
-- One row per key, and one row without a key over all keys: the size of the smallest group, the number of persons alone
-- in their group, and the number of persons in groups of fewer than k.
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
-- Number of persons with several rows and, for each kept column, number of such persons with at most one value.
--
-- constant  one #of_column per column
-- values    one #values per column
-- persons   the columns that identify persons, in their grouped form
-- release   the release, with the columns that identify persons
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
-- Number of persons with several rows and at most one value of a column. A missing cell is no value.
--
-- values  the name of the column with #values
count(case when several > 1 and {values} < 2 then 1 end)

-- section: values
-- Number of distinct values of a column in the rows of a person.
--
-- cell  store/cell/exact of the column
count(distinct {cell})

-- section: numbered
-- The rows of a release with numbers in place of cells: a row's person, its class under each QID, and its key values.
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
-- The classes of a QID with their persons.
--
-- class     the number of the class
-- numbered  #numbered
--
-- One row per class and person with a row in the class: also the number of persons in the class.
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
-- The classes of the rows joined by a reader for one person by a key value, if fewer than k persons share this value.
--
-- $k       the fewest persons required in a group
-- class    the number of the class
-- keys     one #key per key
-- members  #members
--
-- One row per key, value, person and class: the number of persons in the class; the rank of the class, from 1, among
-- the joined classes by size; and the number of joined classes.
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
-- The rows with a value of a single key column.
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
-- The rows by all key columns together. A missing value is a value, too.
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
-- Number of pairs of a person and a class to compare: for each set of joined classes, the persons of the smallest class
-- times the number of other classes.
--
-- sought  #sought
--
-- One row.
select cast(coalesce(sum(cast(size as hugeint) * (classes - 1)), 0) as hugeint) as pairs
from {sought}
where place = 1
