-- section: violating
-- That a value group has too few people in the population.
--
-- people  how many it has
-- k       the fewest allowed
{people} < {k}
