-- The tuples of the base frequency set, where it tells sensitive values apart, too: each with what it carries of them.
--
-- values   value_1, value_2, …, and the class where it is told apart
-- carried  #totals, and what is carried of sensitive attributes and of persons
-- base     the base frequency set
-- codes    one #coded per sensitive attribute, privacy/persons/codes#coded for persons
--
-- One row per tuple. sum(frequency) and sum(checksum) are those of the base frequency set.
select
    {values},
    {carried}
from {base} as base
{codes}
group by {values}

-- section: totals
-- The rows of a tuple, and what tells their kept cells from others.
sum(base.checksum) as checksum,
cast(sum(base.frequency) as bigint) as frequency

-- section: coded
-- A row of the base frequency set finds the number of its sensitive value, if it has one.
--
-- codes  #codes, which goes by its name
-- value  its column of the base frequency set
left join {codes}
    on {codes}.value = base.{value}

-- section: codes
-- The values of a sensitive attribute, numbered from 0. A missing value is none.
--
-- value  its column of the base frequency set
-- base   the base frequency set
--
-- One row per value.
select
    value,
    row_number() over (order by value) - 1 as code
from (
    select distinct {value} as value
    from {base}
    where {value} is not null
)

-- section: frequencies
-- How many rows have each value of a sensitive attribute.
--
-- rows   #rows or #persons
-- codes  #codes, which goes by its name
-- coded  #coded
-- base   the base frequency set
--
-- One row per value, in the order of the numbers; the missing value, where there is one, is the last.
select
    {codes}.code,
    cast({codes}.value as varchar) as text,
    {rows} as rows
from {base} as base
{coded}
group by
    {codes}.code,
    {codes}.value
order by {codes}.code nulls last

-- section: rows
-- The rows that have a value.
cast(sum(base.frequency) as bigint)

-- section: persons
-- The persons who have rows with a value.
--
-- person  the column of their numbers
count(distinct {person})
