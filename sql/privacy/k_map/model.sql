-- section: violating
-- Condition for a value group with too few people in the population.
--
-- people  how many it has
-- k       the fewest allowed
{people} < {k}
