-- Which values of a sensitive attribute each person has nowhere, a bit each.
--
-- person  the column of their numbers
-- number  that of the values' numbers, from 0, or #number
-- last    the highest number
-- values  how many numbers there are
-- base    the base frequency set
-- codes   privacy/persons/codes#coded, privacy/tuples#coded
--
-- One row per person.
select
    {person} as person,
    ~coalesce(bitstring_agg({number}, 0, {last}), bitstring('0', {values})) as lacks
from {base} as base
{codes}
group by {person}

-- section: number
-- The number of a value, of which the missing one has the last.
--
-- code  the column of the values' numbers
-- last  the last number
coalesce({code}, {last})

-- section: coded
-- A row of the base frequency set finds what its person lacks.
--
-- lacking  privacy/persons/lacking
-- person   the column of the persons' numbers
left join {lacking}
    on {lacking}.person = {person}

-- section: started
-- Which values of a sensitive attribute a person with rows of a tuple, and a value there, has nowhere, a bit each.
--
-- lacks   what a row's person lacks
-- number  the number of the row's value
-- values  how many numbers there are
coalesce(bit_or({lacks}) filter (where {number} is not null), bitstring('0', {values}))

-- section: shared
-- That all persons of a value group share a value of a sensitive attribute: none of them lacks it.
--
-- lacked  which values some of them lack
-- values  how many values there are
bit_count({lacked}) < {values}
