-- Check of a QID's classes for k-anonymity of persons: each class has rows of at least k persons.
--
-- $k       the smallest allowed number of persons
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …, size
-- values   the QID's columns of the classes
--
-- One row: the number of classes, the number of rows, the smallest number of persons of a class, the number of classes
-- with fewer than k persons, and the numbers of rows and of persons in these classes; a person counts once per class.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(persons) as fewest,
    count(*) filter (where persons < $k) as violating_classes,
    cast(coalesce(sum(size) filter (where persons < $k), 0) as bigint) as violating_rows,
    cast(coalesce(sum(persons) filter (where persons < $k), 0) as bigint) as violating_persons
from (
    select
        count(distinct ({persons})) as persons,
        cast(sum(size) as bigint) as size
    from {classes}
    group by {values}
)

-- section: exposed
-- Number of persons by the size of their smallest class, counted in persons.
--
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …
-- values   the QID's columns of the classes
--
-- One row per size: number of persons with a smallest class of this size.
select
    size,
    count(*) as persons
from (
    select min(size) as size
    from (
        select
            {persons},
            count(*) over (partition by {values}) as size
        from (
            select distinct
                {values},
                {persons}
            from {classes}
        )
    )
    group by {persons}
)
group by size
order by size

-- section: everybody
-- Number of persons of a table.
--
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …, size
--
-- One row.
select count(*) as persons
from (
    select distinct {persons}
    from {classes}
)

-- section: apart
-- Classes of persons, for any number of rows per person. A person counts once per class or, if the sensitive attribute
-- is one of the columns, once per class and value.
--
-- columns  the requested columns, and those that identify persons
-- classes  classes over more columns: value_1, value_2, …, size
--
-- One row per class and person, with size 1.
select distinct
    {columns},
    cast(1 as bigint) as size
from {classes}

-- section: nobody
-- Number of a table's classes over persons and more columns with a missing person.
--
-- person   a column that identifies persons
-- classes  classes over this column and more columns
--
-- One row.
select count(*) as without
from {classes}
where {person} is null

-- section: learned
-- Classes of persons by a sensitive attribute. If all persons of a class share a value, a reader learns this value for
-- each of them; the value then replaces all counted values of the class.
--
-- sensitive  the sensitive attribute
-- there      the condition for a counted value: #present or #any
-- persons    the columns that identify persons
-- values     the QID's columns of the classes
-- classes    #apart, over these columns
--
-- One row per class, value and person. everybody is the number of persons with a counted value in the QID's class.
select
    * exclude (those, is_shared, learned)
    replace (case when is_shared and {there} then learned else {sensitive} end as {sensitive})
from (
    select
        *,
        bool_or(those = everybody and {there}) over (partition by {values}) as is_shared,
        min(case when those = everybody then {sensitive} end) over (partition by {values}) as learned
    from (
        select
            *,
            count(*) over (partition by {values}, {sensitive}) as those,
            count(distinct case when {there} then ({persons}) end) over (partition by {values}) as everybody
        from {classes}
    )
)

-- section: counted
-- Classes of persons by a sensitive attribute, with the number of persons with a counted value in the QID's class.
--
-- there    the condition for a counted value: #present or #any
-- persons  the columns that identify persons
-- values   the QID's columns of the classes
-- classes  #apart, over these columns
--
-- One row per class, value and person; everybody is the number of persons.
select
    *,
    count(distinct case when {there} then ({persons}) end) over (partition by {values}) as everybody
from {classes}

-- section: present
-- Condition for a counted value, if the missing value does not count.
--
-- sensitive  the sensitive attribute
{sensitive} is not null

-- section: any
-- Condition for a counted value, if the missing value counts, too: always true.
true
