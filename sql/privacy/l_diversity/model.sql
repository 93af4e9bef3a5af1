-- section: counted
-- Number of different values of a sensitive attribute in the rows of a class, without the missing value.
--
-- sensitive  the attribute
count(distinct {sensitive})

-- section: counted_all
-- Number of different values of a sensitive attribute in the rows of a class, with the missing value.
--
-- sensitive  the attribute
count(distinct {sensitive}) + max(case when {sensitive} is null then 1 else 0 end)

-- section: violated
-- Condition to refuse a release: a class has too few different values of a sensitive attribute.
--
-- diversity  #counted, by its name
-- l          the fewest allowed
coalesce(min({diversity}), {l}) < {l}

-- section: violating
-- Condition for a value group with too few different values of a sensitive attribute.
--
-- held  its values, a bit each
-- l     the fewest allowed
bit_count({held}) < {l}

-- section: violating_counts
-- Condition for a value group with too few different values of a sensitive attribute, the missing one included.
--
-- rows  privacy/value_texts#columns or privacy/value_texts#rows
-- l     the fewest allowed
len([1 for value_rows in {rows} if value_rows > 0]) < {l}
