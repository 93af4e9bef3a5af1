-- Check of a QID's classes: rows of enough persons.
--
-- $k       the smallest allowed number of persons
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …, size
-- values   those of the QID
--
-- One row: the classes, their rows, the fewest persons of a class; how many classes have fewer than k, how many rows
-- those have, and how many persons have a row there, once for each of those classes.
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
-- Number of persons by the number of persons in the smallest of their classes.
--
-- persons  the columns that identify persons
-- classes  classes over more columns: value_1, value_2, …
-- values   those of the QID
--
-- One row per size.
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
-- The persons of a table.
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
-- Classes with each person counted once, or once for each value of a sensitive attribute, whatever the number of rows.
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
-- Number of a table's classes with rows without a person.
--
-- person   a column that identifies persons
-- classes  classes over it and more columns
--
-- One row.
select count(*) as without
from {classes}
where {person} is null

-- section: learned
-- Classes of persons by a sensitive attribute. A value shared by every person of a class replaces their other values
-- there: a reader learns it of each of them.
--
-- sensitive  the sensitive attribute
-- there      the condition for a counted value: #present or #any
-- persons    the columns that identify persons
-- values     those of the QID
-- classes    #apart, over these columns
--
-- One row per class, value and person. everybody is how many persons of the QID's class have a value.
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
-- Classes of persons by a sensitive attribute, each beside how many persons of it have a value.
--
-- there    the condition for a counted value: #present or #any
-- persons  the columns that identify persons
-- values   those of the QID
-- classes  #apart, over these columns
--
-- One row per class, value and person.
select
    *,
    count(distinct case when {there} then ({persons}) end) over (partition by {values}) as everybody
from {classes}

-- section: present
-- Condition for a present value.
--
-- sensitive  the sensitive attribute
{sensitive} is not null

-- section: any
-- Condition for a counted value: the missing one counts, too.
true
