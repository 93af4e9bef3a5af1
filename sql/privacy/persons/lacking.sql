-- Values of a sensitive attribute that each person never has, a bit each.
--
-- person  the column of their numbers
-- number  the column of the values' numbers, from 0, or #number
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
-- The number of a value; the missing value has the last.
--
-- code  the column of the values' numbers
-- last  the last number
coalesce({code}, {last})

-- section: coded
-- The join of a row of the base frequency set with the values its person lacks.
--
-- lacking  privacy/persons/lacking
-- person   the column of the persons' numbers
left join {lacking}
    on {lacking}.person = {person}

-- section: started
-- Values of a sensitive attribute that a person with rows of a tuple, and a value there, never has, a bit each.
--
-- lacks   the values lacked by a row's person
-- number  the number of the row's value
-- values  how many numbers there are
coalesce(bit_or({lacks}) filter (where {number} is not null), bitstring('0', {values}))

-- section: shared
-- Condition for a value group whose persons all share a value of a sensitive attribute: none of them lacks it.
--
-- lacked  the values that some of them lack
-- values  how many values there are
bit_count({lacked}) < {values}
