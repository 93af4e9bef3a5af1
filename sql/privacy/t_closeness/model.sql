-- section: at
-- The place of a value in the order.
--
-- text   the value
-- place  its place
when {text} then {place}

-- section: climbed
-- What is moved between the values beneath a node of the hierarchy, up to it.
--
-- level  its level
-- more   one #more per child
-- less   one #less per child
{level} * least({more}, {less})

-- section: along
-- What is moved between values that have an order, and past how many of them.
--
-- rows    how many rows have each value, in their order
-- totals  how many rows of the table
-- whole   the rows of the table
-- values  how many values there are
-- size    the rows of the group, or what counts in their place
coalesce(
    list_sum([
        abs(list_sum([{rows}][1:place]) * {whole} - {size} * list_sum([{totals}][1:place]))
        for place in range(1, {values})
    ]),
    0
)

-- section: extra
-- How much larger the share of some values is than that of the table, times the rows of both.
--
-- rows   how many rows have them
-- whole  the rows of the table
-- total  how many of those have them
-- size   the rows of the group, or what counts in their place
(({rows}) * {whole} - {size} * {total})

-- section: less
-- What values have less than their share.
--
-- extra  #extra
greatest(-{extra}, 0)

-- section: more
-- What values have more than their share.
--
-- extra  #extra
greatest({extra}, 0)

-- section: violating
-- That what moves between a value group and the table is too much: the earth mover's distance, times the rows of
-- both and the largest distance of two values.
--
-- moved  what is moved, and how far
-- most   how much that may be per row of the group, times its parts
-- parts  the parts
-- size   the rows of the group, or what counts in their place
cast({moved} as hugeint) * {parts} > cast({size} as hugeint) * {most}
