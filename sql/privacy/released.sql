-- Number of rows by class of a script's release and value of a sensitive attribute. A missing value is a value.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
--
-- One row per class and value: number of rows with the value in the class (value_rows), in the class (size), with the
-- value in the release (total), and in the release (whole). The class has a number in place of its generalized columns,
-- since a column might have the name of a count.
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
-- The rows of a script's release with a value of a sensitive attribute.
--
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
(
    select *
    from {release}
    where {sensitive} is not null
) as present_rows

-- section: blank
-- Condition to refuse a release: a class has no value of a sensitive attribute.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
exists (
    select 1
    from {release}
    group by {values}
    having count({sensitive}) = 0
)

-- section: text
-- A sensitive value as text.
--
-- sensitive  the sensitive attribute, in its grouped form
cast({sensitive} as varchar)
