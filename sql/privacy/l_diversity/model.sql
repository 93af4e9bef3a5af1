-- section: counted
-- How many different values of a sensitive attribute the rows of a class have. A missing value is none.
--
-- sensitive  the attribute
count(distinct {sensitive})

-- section: counted_all
-- How many different values of a sensitive attribute the rows of a class have. A missing value is one.
--
-- sensitive  the attribute
count(distinct {sensitive}) + max(case when {sensitive} is null then 1 else 0 end)

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

-- section: violating_counts
-- That a value group has too few different values of a sensitive attribute, the missing one among them.
--
-- rows  how many rows have each value, one column each
-- l     the fewest allowed
len([1 for value_rows in [{rows}] if value_rows > 0]) < {l}
