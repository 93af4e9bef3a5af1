-- Condition for a value group with too few persons.
--
-- persons  its persons' numbers, up to the largest number ever needed
-- k        the fewest allowed
len({persons}) < {k}

-- section: counted
-- Condition for a value group with too few persons, each with one tuple.
--
-- persons  how many it has
-- k        the fewest allowed
{persons} < {k}
