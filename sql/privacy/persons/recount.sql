-- Whether the classes of a QID have the rows of enough persons.
--
-- $k       the smallest allowed number of persons
-- persons  the columns that tell persons apart
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
-- How many persons have how few persons in the smallest of their classes.
--
-- persons  the columns that tell persons apart
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
-- persons  the columns that tell persons apart
-- classes  classes over more columns: value_1, value_2, …, size
--
-- One row.
select count(*) as persons
from (
    select distinct {persons}
    from {classes}
)

-- section: apart
-- Classes in which a person counts once, or once for each value of a sensitive attribute, however many rows say so.
--
-- columns  those that are asked about, and those that tell persons apart
-- classes  classes over more columns: value_1, value_2, …, size
--
-- One row per class and person, which stands for one.
select distinct
    {columns},
    cast(1 as bigint) as size
from {classes}

-- section: nobody
-- How many classes of a table have rows without a person.
--
-- person   a column that tells persons apart
-- classes  classes over it and more columns
--
-- One row.
select count(*) as without
from {classes}
where {person} is null

-- section: learned
-- Classes of persons by a sensitive attribute, in which a value that every person of a class has stands for all that
-- they have: it is learned of each of them.
--
-- sensitive  the sensitive attribute
-- there      that a value counts: #present or #any
-- persons    the columns that tell persons apart
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
-- there    that a value counts: #present or #any
-- persons  the columns that tell persons apart
-- values   those of the QID
-- classes  #apart, over these columns
--
-- One row per class, value and person.
select
    *,
    count(distinct case when {there} then ({persons}) end) over (partition by {values}) as everybody
from {classes}

-- section: present
-- That a value is there.
--
-- sensitive  the sensitive attribute
{sensitive} is not null

-- section: any
-- That a value counts: the missing one does, too.
true
