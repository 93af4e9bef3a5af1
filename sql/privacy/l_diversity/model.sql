-- section: counted
-- How many different values of a sensitive attribute the rows of a class have. A missing value is none.
--
-- sensitive  the attribute
count(distinct {sensitive})

-- section: violated
-- That a script's release has a class of too few different values of a sensitive attribute.
--
-- diversity  #counted, by its name
-- l          the fewest allowed
coalesce(min({diversity}), {l}) < {l}

-- section: violating
-- That a value group has too few different values of a sensitive attribute.
--
-- held  which of them it has, a bit each
-- l     the fewest allowed
bit_count({held}) < {l}
