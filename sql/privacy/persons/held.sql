-- The persons with rows of a tuple, as a sorted list of their numbers. A list is cut after its lowest numbers, as more
-- persons change no verdict.
--
-- code  the column with the number of a row's person
-- most  the largest length of the list
list_slice(list_sort(list_distinct(list({code}))), 1, {most})

-- section: merged
-- The persons with rows of a value group, as a list of numbers, from the lists of the tuples or groups merged into it.
--
-- persons  the column with the list of persons per tuple or merged group
-- most     the largest length of the list
list_slice(list_sort(list_distinct(flatten(list({persons})))), 1, {most})

-- section: running
-- The persons with rows on one side of a cut, as a list of numbers. A cut splits the numeric values (children) of a
-- region in two; the window frame selects the children up to the cut, or the children after it.
--
-- persons  the column with the list of persons per child
-- frame    window frame of the side, such as `rows unbounded preceding`
-- most     the largest length of the list
-- side     name of the result's column for this side
list_slice(
    list_sort(
        list_distinct(
            flatten(list(counted.{persons}) over (partition by region order by child {frame}))
        )
    ),
    1,
    {most}
) as {side}

-- section: counted
-- Number of persons with rows of a tuple.
--
-- code  the column with the number of a row's person
count(distinct {code})

-- section: having
-- Number of persons with a row of a tuple that has one value of a sensitive attribute.
--
-- person  the column with the number of a row's person
-- code    the column with the code of a row's value, from 0
-- number  the code of the value
count(distinct {person}) filter (where {code} = {number})

-- section: without
-- Number of persons with a row of a tuple whose value of a sensitive attribute is missing.
--
-- person  the column with the number of a row's person
-- code    the column with the code of a row's value, from 0
count(distinct {person}) filter (where {code} is null)

-- section: having_any
-- Number of persons with a row of a tuple that has any value of a sensitive attribute.
--
-- person  the column with the number of a row's person
-- code    the column with the code of a row's value
count(distinct {person}) filter (where {code} is not null)
