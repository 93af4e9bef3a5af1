-- What is moved between values that have an order, and past how many of them.
--
-- rows    how many rows have each value, in their order
-- totals  how many rows of the table
-- whole   the rows of the table
-- values  how many values there are
coalesce(
    list_sum([
        abs(list_sum([{rows}][1:place]) * {whole} - frequency * list_sum([{totals}][1:place]))
        for place in range(1, {values})
    ]),
    0
)
