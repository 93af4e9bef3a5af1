-- section: violated
-- Condition to refuse a release: in a class, the most frequent sensitive value has at least c times as many rows as the
-- l-th most frequent value and all rarer values together.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
-- l          the rank of the first of the rarer values
-- c          the numerator of c, as a fraction
-- parts      the denominator of that fraction
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
-- Condition for a value group whose most frequent sensitive value has at least c times as many rows as the l-th most
-- frequent value and all rarer values together.
--
-- columns  the columns with the number of rows per value
-- rows     privacy/value_texts#columns
-- l        the rank of the first of the rarer values
-- c        the numerator of c, as a fraction
-- parts    the denominator of that fraction
(
    cast(greatest({columns}) as hugeint) * {parts}
    >= cast(coalesce(list_sum(list_reverse_sort({rows})[{l}:]), 0) as hugeint) * {c}
)

-- section: violating_rows
-- Condition for a value group whose most frequent sensitive value has at least c times as many rows as the l-th most
-- frequent value and all rarer values together, for an attribute with its values in one text.
--
-- rows   privacy/value_texts#rows
-- l      the rank of the first of the rarer values
-- c      the numerator of c, as a fraction
-- parts  the denominator of that fraction
(
    cast(coalesce(list_max({rows}), 0) as hugeint) * {parts}
    >= cast(coalesce(list_sum(list_reverse_sort({rows})[{l}:]), 0) as hugeint) * {c}
)
