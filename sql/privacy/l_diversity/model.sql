-- section: counted
-- Number of different values of a sensitive attribute in the rows of a class, without the missing value.
--
-- sensitive  the sensitive attribute
count(distinct {sensitive})

-- section: counted_all
-- Number of different values of a sensitive attribute in the rows of a class, with the missing value.
--
-- sensitive  the sensitive attribute
count(distinct {sensitive}) + max(case when {sensitive} is null then 1 else 0 end)

-- section: violated
-- Condition to refuse a release: a class has too few different values of a sensitive attribute.
--
-- diversity  the column with the number of different values per class, from #counted or #counted_all
-- l          the smallest allowed number of different values
coalesce(min({diversity}), {l}) < {l}

-- section: violating
-- Condition for a value group with too few different values of a sensitive attribute.
--
-- held  the column with the set of the group's values, one bit per value
-- l     the smallest allowed number of different values
bit_count({held}) < {l}

-- section: violating_counts
-- Condition for a value group with too few different values of a sensitive attribute, the missing one included.
--
-- rows  privacy/value_texts#columns or privacy/value_texts#rows
-- l     the smallest allowed number of different values
len([1 for value_rows in {rows} if value_rows > 0]) < {l}
