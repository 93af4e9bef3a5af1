-- The tuples of a base frequency set whose rows also differ by sensitive values or persons, merged to one row per tuple
-- with aggregates of these (carried columns).
--
-- values   value_1, value_2, …, and the class if it is distinguished
-- carried  #totals, and the carried columns of sensitive attributes and of persons
-- base     the base frequency set: number of rows per combination of values
-- codes    one #coded per sensitive attribute, privacy/persons/codes#coded for persons
--
-- One row per tuple. sum(frequency) and sum(checksum) are the same as in the base frequency set.
select
    {values},
    {carried}
from {base} as base
{codes}
group by {values}

-- section: totals
-- Number of rows of a tuple, and the checksum of the kept cells in these rows.
sum(base.checksum) as checksum,
cast(sum(base.frequency) as bigint) as frequency

-- section: coded
-- Join of a row in the base frequency set with the code of its sensitive value; a missing value has no code.
--
-- codes  the relation #codes, by its name
-- value  the sensitive attribute's column in the base frequency set
left join {codes}
    on {codes}.value = base.{value}

-- section: codes
-- The distinct values of a sensitive attribute, each with a code from 0 on. A missing value has no code.
--
-- value  the sensitive attribute's column in the base frequency set
-- base   the base frequency set: number of rows per combination of values
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
-- codes  the relation #codes, by its name
-- coded  #coded, the join with this relation
-- base   the base frequency set: number of rows per combination of values
--
-- One row per value, in the order of the codes; the missing value, if present, is the last.
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
-- Number of rows with a sensitive value, from the grouped rows of the base frequency set.
cast(sum(base.frequency) as bigint)

-- section: persons
-- Number of persons with at least one row of a sensitive value.
--
-- person  the column with the number of a row's person
count(distinct {person})
