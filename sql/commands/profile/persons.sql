-- The columns that have one value in all rows of a person, for columns that may be facts about the person.
--
-- person    the column that may identify the persons
-- counts    one #of_column per column
-- extremes  one #extremes per column
-- rows      the table
--
-- One row.
select
    {counts}
from (
    select
        {extremes}
    from {rows}
    group by {person}
)

-- section: of_column
-- The persons with several values of a column, and those of them with equal values.
--
-- present  the values of the person
-- least    the smallest of them
-- most     the largest of them
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
-- The combinations of some columns' values.
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
