-- The numbers of persons with rows of a tuple, up to the largest number ever needed: the lowest.
--
-- code  the column of the persons' numbers
-- most  the most numbers in the list
list_slice(list_sort(list_distinct(list({code}))), 1, {most})

-- section: merged
-- The numbers of persons with rows of a value group, from its parts, up to the largest number ever needed.
--
-- persons  the persons of each part
-- most     how many are asked for
list_slice(list_sort(list_distinct(flatten(list({persons})))), 1, {most})

-- section: running
-- The persons with rows on one side of a cut of a numeric attribute: of the children up to one, or of the others.
--
-- persons  the carried column
-- frame    window frame of the side, such as `rows unbounded preceding`
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
-- Number of persons with rows of a tuple.
--
-- code  the column of the persons' numbers
count(distinct {code})

-- section: having
-- Number of persons with a row of a tuple that has one value of a sensitive attribute.
--
-- person  the column of the persons' numbers
-- code    the column of the values' numbers, from 0
-- number  the number of the value
count(distinct {person}) filter (where {code} = {number})

-- section: without
-- Number of persons with a row of a tuple whose value of a sensitive attribute is missing.
--
-- person  the column of the persons' numbers
-- code    the column of the values' numbers, from 0
count(distinct {person}) filter (where {code} is null)

-- section: having_any
-- Number of persons with a row of a tuple that has any value of a sensitive attribute.
--
-- person  the column of the persons' numbers
-- code    the column of the values' numbers
count(distinct {person}) filter (where {code} is not null)
