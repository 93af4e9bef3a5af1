-- Set of the values of a sensitive attribute absent from all rows of a person, as a string of one bit per value.
--
-- person  the column with the number of a row's person
-- number  the number of the bit for a row's value: the column with the value's code, or #number
-- last    the highest number of a bit
-- values  number of bits
-- base    the base frequency set: number of rows per combination of values
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
-- The number of the bit for a row's value, if the missing value has a bit, too: the last one.
--
-- code  the column with the code of a row's value; null for the missing value
-- last  the number of the last bit
coalesce({code}, {last})

-- section: coded
-- Join of a row in the base frequency set with the set of values absent from all rows of its person.
--
-- lacking  privacy/persons/lacking
-- person   the column with the number of a row's person
left join {lacking}
    on {lacking}.person = {person}

-- section: started
-- Set of the values that at least one person of a tuple lacks, as a string of one bit per value. Only persons with a
-- counted value in the tuple are considered.
--
-- lacks   the set of values absent from all rows of a row's person
-- number  the number of the bit for the row's value; null for a value that does not count
-- values  number of bits
coalesce(bit_or({lacks}) filter (where {number} is not null), bitstring('0', {values}))

-- section: shared
-- Condition for a value group with a sensitive value shared by all persons of the group: no person lacks this value.
--
-- lacked  the set of the values that at least one person of the group lacks
-- values  number of the attribute's values
bit_count({lacked}) < {values}
