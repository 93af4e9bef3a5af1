-- How many rows of each class of a script's release have which value of a sensitive attribute. A missing value is a
-- value.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
--
-- One row per class and value: its rows, those of the class, those that have the value, and those of the release.
(
    select
        {values},
        count(*) as value_rows,
        sum(count(*)) over (partition by {values}) as size,
        sum(count(*)) over (partition by {sensitive}) as total,
        sum(count(*)) over () as whole
    from {release}
    group by
        {values},
        {sensitive}
) as value_counts
