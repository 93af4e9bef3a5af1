-- That a value group has too few persons.
--
-- persons  which persons it has, by their numbers, up to as many as are ever asked for
-- k        the fewest allowed
len({persons}) < {k}

-- section: counted
-- That a value group has too few persons, each of whom has one tuple.
--
-- persons  how many it has
-- k        the fewest allowed
{persons} < {k}
