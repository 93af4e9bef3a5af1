-- section: violated
-- Condition to refuse a release: a class has less entropy of a sensitive attribute than l equal shares, or so close
-- to it that floating point cannot decide.
--
-- values     the generalized columns
-- sensitive  the sensitive attribute, in its grouped form
-- release    the release
-- l          the numerator of l, as a fraction
-- parts      the denominator of that fraction
exists (
    select 1
    from (
        select
            dense_rank() over (order by {values}) as class,
            count(*) as value_rows
        from {release}
        group by
            {values},
            {sensitive}
    ) as value_counts
    group by class
    having sum(value_rows) * (ln(sum(value_rows)) - ln({l}) + ln({parts}) - 0.000000001)
        < sum(value_rows * ln(value_rows))
)

-- section: violating
-- Condition for a value group with less entropy of a sensitive attribute than l equal shares. A difference within the
-- error of floating point passes: a tie holds.
--
-- rows   privacy/value_texts#columns or privacy/value_texts#rows
-- l      the numerator of l, as a fraction
-- parts  the denominator of that fraction
-- size   base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
{size} * (ln(greatest({size}, 1)) - ln({l}) + ln({parts}))
    - list_sum([value_rows * ln(value_rows) for value_rows in {rows} if value_rows > 0])
    < -1e-11 * {size}
