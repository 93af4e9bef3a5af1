-- section: once
-- The persons of each class of a script's release, each once, or once for each value of a sensitive attribute.
--
-- columns  the generalized columns, the sensitive one if there is one, and those that tell persons apart
-- release  the release, which tells them apart
(
    select distinct
        {columns}
    from {release}
) as persons_once

-- section: nobody
-- How many rows of a class have no person.
--
-- missing  one privacy/persons/codes#missing per column that tells persons apart
sum(case when {missing} then 1 else 0 end)

-- section: violated
-- That a script's release has a class of too few persons, or a row without one.
--
-- nobody  #nobody, by its name
-- k       the fewest allowed
coalesce(min(size), {k}) < {k} or coalesce(max({nobody}), 0) > 0

-- section: share
-- That a script's release has a class of whose persons too large a share has one value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- persons    the columns that tell persons apart
-- release    #once, without the rows that have no value where these count for nothing
-- named      that a value is asked about
-- share      the largest share, times its parts
-- parts      the parts
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
-- That all persons of a class of a script's release share a value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- persons    the columns that tell persons apart
-- release    #once, without the rows that have no value where these count for nothing
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
