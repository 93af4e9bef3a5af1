-- section: above
-- Condition for a value group with too large a share of rows with one value of a sensitive attribute.
--
-- rows   how many rows have it
-- share  the numerator of the largest share, as a fraction
-- parts  the denominator of that fraction
-- size   the rows of the group, or the count in their place
cast({rows} as hugeint) * {parts} > cast({size} as hugeint) * {share}

-- section: below
-- Condition for a value group with too small a share of rows with one value of a sensitive attribute.
--
-- rows   how many rows have it
-- share  the numerator of the smallest share, as a fraction
-- parts  the denominator of that fraction
-- size   the rows of the group, or the count in their place
cast({rows} as hugeint) * {parts} < cast({size} as hugeint) * {share}

-- section: any_above
-- The same for some of many values, which a value group has in one text.
--
-- entries  privacy/value_texts#entries
-- shares   the numerators of the values' largest shares, as the text of a list; missing without a bound
-- parts    the denominators of those fractions
-- size     the rows of the group, or the count in their place
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
-- Condition for a value group with too small a share of some of many values, or with none of it. Only values with a
-- bound have numbers.
--
-- entries  privacy/value_texts#entries
-- shares   the numerators of the values' smallest shares, as the text of a list
-- parts    the denominators of those fractions
-- values   how many values have a bound
-- size     the rows of the group, or the count in their place
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
-- No value group has such a share.
false
