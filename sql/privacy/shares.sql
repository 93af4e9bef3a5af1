-- section: above
-- Condition for a value group with too large a share of rows with one value of a sensitive attribute.
--
-- rows   number of the group's rows with the value
-- share  the numerator of the largest share, as a fraction
-- parts  the denominator of that fraction
-- size   base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
cast({rows} as hugeint) * {parts} > cast({size} as hugeint) * {share}

-- section: below
-- Condition for a value group with too small a share of rows with one value of a sensitive attribute.
--
-- rows   number of the group's rows with the value
-- share  the numerator of the smallest share, as a fraction
-- parts  the denominator of that fraction
-- size   base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
cast({rows} as hugeint) * {parts} < cast({size} as hugeint) * {share}

-- section: any_above
-- Condition for a value group with too large a share of rows with at least one of many values, which are carried in one
-- text.
--
-- entries  privacy/value_texts#entries
-- shares   the numerators of the values' largest shares, as the text of a list; missing without a bound
-- parts    the denominators of the shares, in the same order
-- size     base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
coalesce(
    len([
        1
        for entry in {entries}
        if cast(entry.value as hugeint) * list_extract(cast({parts} as bigint[]), entry.key + 1)
            > cast({size} as hugeint) * list_extract(cast({shares} as bigint[]), entry.key + 1)
    ]),
    0
) > 0

-- section: any_below
-- Condition for a value group with too small a share, or none, of rows with at least one of many values, which are
-- carried in one text. It counts the values with a sufficient share, and compares with the number of bounded values.
--
-- entries  privacy/value_texts#entries
-- shares   the numerators of the values' smallest shares, as the text of a list
-- parts    the denominators of the shares, in the same order
-- values   number of values with a bound
-- size     base of the group's shares: its rows or, if not all rows count, its rows or persons with a value
(
    coalesce(
        len([
            1
            for entry in {entries}
            if cast(entry.value as hugeint) * list_extract(cast({parts} as bigint[]), entry.key + 1)
                >= cast({size} as hugeint) * list_extract(cast({shares} as bigint[]), entry.key + 1)
        ]),
        0
    ) < {values}
    and {size} > 0
)

-- section: never
-- Condition for a value group with a share beyond its bound, if no value has a bound: always false.
false
