-- section: violated
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
-- That the entropy of a sensitive attribute in a value group is less than that of l equal shares. What floating
-- point may be off by passes: a tie holds.
--
-- rows   how many rows have each value, one column each
-- l      l, times its parts
-- parts  the parts
-- size   the rows of the group, or what counts in their place
{size} * (ln(greatest({size}, 1)) - ln({l}) + ln({parts}))
    - list_sum([value_rows * ln(value_rows) for value_rows in [{rows}] if value_rows > 0])
    < -1e-11 * {size}
