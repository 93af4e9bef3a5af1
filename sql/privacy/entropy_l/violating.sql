-- That the entropy of a sensitive attribute in a value group is less than that of l equal shares. What floating
-- point may be off by passes: a tie holds.
--
-- rows   how many rows have each value, one column each
-- l      l, times its parts
-- parts  the parts
frequency * (ln(frequency) - ln({l}) + ln({parts}))
    - list_sum([value_rows * ln(value_rows) for value_rows in [{rows}] if value_rows > 0])
    < -1e-11 * frequency
