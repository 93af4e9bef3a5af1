-- That the most frequent value of a sensitive attribute has c times the rows of all from the l-th on, or more.
--
-- rows   how many rows have each value, one column each
-- l      l
-- c      c, times its parts
-- parts  the parts
(
    cast(greatest({rows}) as hugeint) * {parts}
    >= cast(coalesce(list_sum(list_reverse_sort([{rows}])[{l}:]), 0) as hugeint) * {c}
)
