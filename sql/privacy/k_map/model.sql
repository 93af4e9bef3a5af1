-- section: violating
-- Condition for a value group with too few people in the population.
--
-- people  the column with the number of the population's people in the group
-- k       the smallest allowed number of people
{people} < {k}
