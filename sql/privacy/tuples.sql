-- The tuples of the base frequency set with their carried sensitive values, if it distinguishes these, too.
--
-- values   value_1, value_2, …, and the class if it is distinguished
-- carried  #totals, and the carried columns of sensitive attributes and of persons
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
-- The rows of a tuple, and the checksum of their kept cells.
sum(base.checksum) as checksum,
cast(sum(base.frequency) as bigint) as frequency

-- section: coded
-- A row of the base frequency set finds the number of its sensitive value, if it has one.
--
-- codes  #codes, under its own name
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
-- Number of rows with each value of a sensitive attribute.
--
-- rows   #rows or #persons
-- codes  #codes, under its own name
-- coded  #coded
-- base   the base frequency set
--
-- One row per value, in the order of the numbers; the missing value, if present, is the last.
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
-- Number of rows with a value.
cast(sum(base.frequency) as bigint)

-- section: persons
-- The persons who have rows with a value.
--
-- person  the column of their numbers
count(distinct {person})
