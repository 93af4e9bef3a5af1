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

-- section: violating
-- Condition for a value group too far from the table: the earth mover's distance, times the rows of both and the
-- largest distance of two values.
--
-- moved  the moved amount, times its distance
-- most   the numerator of the largest allowed amount per row of the group, as a fraction
-- parts  the denominator of that fraction
-- size   the rows of the group, or the count in their place
cast({moved} as hugeint) * {parts} > cast({size} as hugeint) * {most}
