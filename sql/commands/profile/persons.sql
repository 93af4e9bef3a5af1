-- Counts for finding facts about persons: columns with one value in all rows of a person.
--
-- person    the column that may identify the persons
-- counts    one #of_column per column
-- extremes  one #extremes per column
-- rows      the table
--
-- One row, with one pair of counts per column.
select
    {counts}
from (
    select
        {extremes}
    from {rows}
    group by {person}
)

-- section: of_column
-- Pair of counts for one column: persons with a value in two or more rows, and among these persons with equal values.
--
-- present  the values of the person
-- least    the smallest of these values
-- most     the largest of these values
[
    count(*) filter (where {present} > 1),
    count(*) filter (where {present} > 1 and {least} = {most})
]

-- section: extremes
-- A person's values in a column: the count of all, the smallest and the largest value.
--
-- column   the column
-- present  the name of the count
-- least    the name of the smallest value
-- most     the name of the largest value
count({column}) as {present},
min({column}) as {least},
max({column}) as {most}

-- section: combined
-- Number of different combinations of some columns' values.
--
-- names  the columns
-- rows   the table
--
-- One row.
select count(*) as combined
from (
    select distinct {names}
    from {rows}
)
