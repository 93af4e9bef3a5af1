-- Which persons have rows of a tuple, by their numbers, up to as many as are ever asked for: the lowest.
--
-- code  the column of their numbers
-- most  how many are asked for
list_slice(list_sort(list_distinct(list({code}))), 1, {most})

-- section: merged
-- Which persons have rows of a value group, from what it is made of, up to as many as are ever asked for.
--
-- persons  which each part has
-- most     how many are asked for
list_slice(list_sort(list_distinct(flatten(list({persons})))), 1, {most})

-- section: running
-- Which persons have rows of one side of a cut of a numeric attribute: of the children up to one, or of the others.
--
-- persons  the column that is carried
-- frame    search/mondrian/sides#up_to or search/mondrian/sides#beyond
-- most     how many are asked for
-- side     the side's own column
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
-- How many persons have rows of a tuple.
--
-- code  the column of their numbers
count(distinct {code})

-- section: having
-- How many persons have rows of a tuple with one value of a sensitive attribute.
--
-- person  the column of their numbers
-- code    that of the values' numbers, from 0
-- number  that of the value
count(distinct {person}) filter (where {code} = {number})

-- section: without
-- How many persons have rows of a tuple without a value of a sensitive attribute.
--
-- person  the column of their numbers
-- code    that of the values' numbers, from 0
count(distinct {person}) filter (where {code} is null)

-- section: having_any
-- How many persons have rows of a tuple with any value of a sensitive attribute.
--
-- person  the column of their numbers
-- code    that of the values' numbers
count(distinct {person}) filter (where {code} is not null)
