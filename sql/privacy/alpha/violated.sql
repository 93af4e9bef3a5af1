-- That a script's release has a class in which a value of a sensitive attribute has too large a share.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
-- named      that a value is asked about
-- share      the largest share, times its parts
-- parts      the parts
exists (
    select 1
    from (
        select
            value_rows,
            sum(value_rows) over (partition by {values}) as size,
            asked
        from (
            select
                {values},
                max(case when {named} then 1 else 0 end) as asked,
                count(*) as value_rows
            from {release}
            group by
                {values},
                {sensitive}
        ) as value_counts
    ) as value_shares
    where asked = 1
        and value_rows * {parts} > size * {share}
)
