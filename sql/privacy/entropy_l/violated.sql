-- That a script's release has a class in which the entropy of a sensitive attribute is less than that of l equal
-- shares, or so near to it that floating point cannot tell.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
-- l          l, times its parts
-- parts      the parts
exists (
    select 1
    from (
        select
            {values},
            count(*) as value_rows
        from {release}
        group by
            {values},
            {sensitive}
    ) as value_counts
    group by {values}
    having sum(value_rows) * (ln(sum(value_rows)) - ln({l}) + ln({parts}) - 0.000000001)
        < sum(value_rows * ln(value_rows))
)
