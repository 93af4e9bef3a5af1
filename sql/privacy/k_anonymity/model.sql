-- section: violated
-- Condition to refuse a release: a class has too few rows.
--
-- k  the smallest allowed number of rows of a class
coalesce(min(size), {k}) < {k}

-- section: violating
-- Condition for a value group with too few rows.
--
-- k  the smallest allowed number of rows of a class
frequency < {k}
