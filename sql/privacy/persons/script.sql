-- section: once
-- The persons of each class in a script's release, for any number of rows per person. A person occurs once per class
-- or, if the columns have a sensitive attribute, once per class and value.
--
-- columns  the generalized columns, the sensitive attribute if a model reads one, and the columns that identify persons
-- release  the release, with the columns that identify persons
(
    select distinct
        {columns}
    from {release}
) as persons_once

-- section: nobody
-- Number of rows with a missing person in a class.
--
-- missing  one privacy/persons/codes#missing per column that identifies persons
sum(case when {missing} then 1 else 0 end)

-- section: violated
-- Condition to refuse a release: a class has too few persons, or a row with a missing person.
--
-- nobody  the column with the number of rows without a person per class, from #nobody
-- k       the smallest allowed number of persons
coalesce(min(size), {k}) < {k} or coalesce(max({nobody}), 0) > 0

-- section: share
-- Condition to refuse a release: too large a share of a class's persons has one value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- persons    the columns that identify persons
-- release    #once; without rows with a missing value if this value does not count
-- named      the condition for a value with a bound, such as privacy/alpha/model#named
-- share      the numerator of the largest share, as a fraction
-- parts      the denominator of that fraction
exists (
    select 1
    from (
        select
            starcloak_those,
            starcloak_asked,
            max(starcloak_place) over (partition by starcloak_class) as starcloak_everybody
        from (
            select
                dense_rank() over (order by {values}) as starcloak_class,
                dense_rank() over (partition by {values} order by {persons}) as starcloak_place,
                count(*) over (partition by {values}, {sensitive}) as starcloak_those,
                case when {named} then 1 else 0 end as starcloak_asked
            from {release}
        ) as starcloak_placed
    ) as starcloak_counted
    where starcloak_asked = 1
        and starcloak_those * {parts} > starcloak_everybody * {share}
)

-- section: shared
-- Condition to refuse a release: all persons of a class share a value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- persons    the columns that identify persons
-- release    #once; without rows with a missing value if this value does not count
exists (
    select 1
    from (
        select
            starcloak_those,
            max(starcloak_place) over (partition by starcloak_class) as starcloak_everybody
        from (
            select
                dense_rank() over (order by {values}) as starcloak_class,
                dense_rank() over (partition by {values} order by {persons}) as starcloak_place,
                count(*) over (partition by {values}, {sensitive}) as starcloak_those
            from {release}
        ) as starcloak_placed
    ) as starcloak_counted
    where starcloak_those = starcloak_everybody
)
