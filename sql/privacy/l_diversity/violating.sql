-- That a value group has too few different values of a sensitive attribute.
--
-- held  which of them it has, a bit each
-- l     the fewest allowed
bit_count({held}) < {l}
