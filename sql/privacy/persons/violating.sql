-- Condition for a value group with too few persons.
--
-- persons  the column with the list of the group's persons, cut at a length of at least k
-- k        the smallest allowed number of persons
len({persons}) < {k}

-- section: counted
-- Condition for a value group with too few persons, in a table with rows of one tuple per person.
--
-- persons  the column with the number of the group's persons
-- k        the smallest allowed number of persons
{persons} < {k}
