-- section: at
-- Branch of a case expression for the place of a value in the order.
--
-- text   the text of the value
-- place  the place of the value, a number from 1
when {text} then {place}

-- section: climbed
-- Cost of the amount moved between the children of one node of the hierarchy, in a value group compared with the table.
--
-- level  the level of the node: the distance of values from different children
-- more   one #more per child
-- less   one #less per child
{level} * least({more}, {less})

-- section: along
-- Earth mover's distance of a value group from the table for ordered values, times the rows of both. It is the sum of
-- the amounts moved, times the number of places passed.
--
-- rows    number of the group's rows per value, in the order of the values
-- totals  number of the table's rows per value, in the same order
-- whole   number of the table's rows
-- values  number of different values
-- size    base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
coalesce(
    list_sum([
        abs(list_sum([{rows}][1:place]) * {whole} - {size} * list_sum([{totals}][1:place]))
        for place in range(1, {values})
    ]),
    0
)

-- section: extra
-- Excess of the share of some values in a group over their share in the table, times the rows of both.
--
-- rows   number of the group's rows with these values
-- whole  number of the table's rows
-- total  number of the table's rows with these values
-- size   base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
(({rows}) * {whole} - {size} * {total})

-- section: less
-- Amount of some values below their share in the table; 0 if above.
--
-- extra  #extra
greatest(-{extra}, 0)

-- section: more
-- Amount of some values above their share in the table; 0 if below.
--
-- extra  #extra
greatest({extra}, 0)

-- section: moved
-- Amount moved between the values of a value group and of the table or, at a level of a hierarchy, between the nodes
-- above the values. It is the sum of the amounts above the share in the table; only values of the group can be above.
--
-- entries  privacy/value_texts#entries
-- totals   number of the table's rows per number of a value or node, as the text of a list
-- whole    number of the table's rows
-- size     base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
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
-- Earth mover's distance of a value group from the table for ordered values in one text, times the rows of both.
-- Between two neighbouring rows of the group in the order, the group's cumulated share is constant, and the table's
-- share grows: their difference changes its sign at one place at most, the tip.
--
-- places  privacy/value_texts#numbers: the places of the values, from 0
-- before  cumulated number of the table's rows up to each value, as the text of a list
-- sums    the sums of those numbers up to each place, as the text of a list that begins with 0
-- steps   powers of two, the largest first, to find a tip
-- end     number of different values
-- whole   number of the table's rows
-- size    base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
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
-- Condition for a value group with too large an earth mover's distance from the table.
--
-- moved  the earth mover's distance, times the rows of both and the largest distance of two values
-- most   the numerator of the largest allowed amount per row of the group, as a fraction
-- parts  the denominator of that fraction
-- size   base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
cast({moved} as hugeint) * {parts} > cast({size} as hugeint) * {most}
