-- How many rows of each class of a script's release have which value of a sensitive attribute. A missing value is a
-- value.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
--
-- One row per class and value: its rows, those of the class, those that have the value, and those of the release. A
-- class is a number, lest a column have the name of what is counted.
(
    select
        dense_rank() over (order by {values}) as class,
        count(*) as value_rows,
        sum(count(*)) over (partition by {values}) as size,
        sum(count(*)) over (partition by {sensitive}) as total,
        sum(count(*)) over () as whole
    from {release}
    group by
        {values},
        {sensitive}
) as value_counts

-- section: present
-- The rows of a script's release that have a value of a sensitive attribute.
--
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
(
    select *
    from {release}
    where {sensitive} is not null
) as present_rows

-- section: blank
-- That a script's release has a class of which no row has a value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
exists (
    select 1
    from {release}
    group by {values}
    having count({sensitive}) = 0
)

-- section: text
-- A sensitive value as it reads.
--
-- sensitive  the sensitive attribute, as it is grouped
cast({sensitive} as varchar)
