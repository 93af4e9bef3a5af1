-- section: at
-- The place of a value in the order.
--
-- text   the value
-- place  its place
when {text} then {place}

-- section: climbed
-- Amount moved between the values beneath a node of the hierarchy, up to it.
--
-- level  its level
-- more   one #more per child
-- less   one #less per child
{level} * least({more}, {less})

-- section: along
-- Amount moved between ordered values, times the number of values passed.
--
-- rows    how many rows have each value, in their order
-- totals  how many rows of the table
-- whole   the rows of the table
-- values  how many values there are
-- size    the rows of the group, or the count in their place
coalesce(
    list_sum([
        abs(list_sum([{rows}][1:place]) * {whole} - {size} * list_sum([{totals}][1:place]))
        for place in range(1, {values})
    ]),
    0
)

-- section: extra
-- Excess of the share of some values over that of the table, times the rows of both.
--
-- rows   how many rows have them
-- whole  the rows of the table
-- total  how many of those have them
-- size   the rows of the group, or the count in their place
(({rows}) * {whole} - {size} * {total})

-- section: less
-- Amount by which values are below their share.
--
-- extra  #extra
greatest(-{extra}, 0)

-- section: more
-- Amount by which values are above their share.
--
-- extra  #extra
greatest({extra}, 0)

-- section: moved
-- Amount moved between the values of a value group or, at a level of a hierarchy, between the nodes above them. Only
-- values of the group are above their share.
--
-- entries  privacy/value_texts#entries
-- totals   how many rows of the table have each number, as the text of a list
-- whole    the rows of the table
-- size     the rows of the group, or the count in their place
coalesce(
    list_sum([
        greatest(
            cast(entry.value as bigint) * {whole} - {size} * list_extract(cast({totals} as bigint[]), entry.key + 1),
            0
        )
        for entry in {entries}
    ]),
    0
)

-- section: passed
-- Amount moved between the ordered values of a value group, times the number of values passed. Between two rows of the
-- group in this order, the group has the same rows up to each place, and the table has more and more: the sum of the
-- places changes its sign at one place, the tip.
--
-- places  privacy/value_texts#numbers: the places of the values, from 0
-- before  how many rows of the table have each value or one before it, as the text of a list
-- sums    the sums of those numbers up to each place, as the text of a list that begins with 0
-- steps   powers of two, the largest first, to find a tip
-- end     how many values there are
-- whole   the rows of the table
-- size    the rows of the group, or the count in their place
list_extract(
    [
        coalesce(
            list_sum([
                list_extract(
                    [
                        gap.done * {whole} * (2 * tip - gap.low - gap.high) + {size} * (
                            list_extract(cast({sums} as hugeint[]), gap.low + 1)
                            + list_extract(cast({sums} as hugeint[]), gap.high + 1)
                            - 2 * list_extract(cast({sums} as hugeint[]), tip + 1)
                        )
                        for tip in [
                            least(
                                greatest(
                                    list_reduce(
                                        [{steps}],
                                        lambda passed, step: case
                                            when list_extract(cast({before} as bigint[]), passed + step) * {size}
                                                <= gap.done * {whole}
                                                then passed + step
                                            else passed
                                        end,
                                        0
                                    ),
                                    gap.low
                                ),
                                gap.high
                            )
                        ]
                    ],
                    1
                )
                for gap in [
                    struct_pack(
                        done := cast(done as hugeint),
                        low := coalesce(list_extract(sorted, done), 0),
                        high := coalesce(list_extract(sorted, done + 1), {end})
                    )
                    for done in range(0, len(sorted) + 1)
                ]
                if gap.low < gap.high
            ]),
            0
        )
        for sorted in [[place for place in list_sort({places}) if place is not null]]
    ],
    1
)

-- section: violating
-- Condition for a value group too far from the table: the earth mover's distance, times the rows of both and the
-- largest distance of two values.
--
-- moved  the moved amount, times its distance
-- most   the numerator of the largest allowed amount per row of the group, as a fraction
-- parts  the denominator of that fraction
-- size   the rows of the group, or the count in their place
cast({moved} as hugeint) * {parts} > cast({size} as hugeint) * {most}
