-- section: violated
-- That a script's release has a class in which the most frequent value of a sensitive attribute has c times the rows of
-- all from the l-th on, or more.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, as it is grouped
-- release    the release
-- l          l
-- c          c, times its parts
-- parts      the parts
exists (
    select 1
    from (
        select
            dense_rank() over (order by {values}) as class,
            count(*) as value_rows,
            row_number() over (partition by {values} order by count(*) desc) as place
        from {release}
        group by
            {values},
            {sensitive}
    ) as value_counts
    group by class
    having max(value_rows) * {parts} >= sum(case when place >= {l} then value_rows else 0 end) * {c}
)

-- section: violating
-- That the most frequent value of a sensitive attribute has c times the rows of all from the l-th on, or more.
--
-- rows   how many rows have each value, one column each
-- l      l
-- c      c, times its parts
-- parts  the parts
(
    cast(greatest({rows}) as hugeint) * {parts}
    >= cast(coalesce(list_sum(list_reverse_sort([{rows}])[{l}:]), 0) as hugeint) * {c}
)
