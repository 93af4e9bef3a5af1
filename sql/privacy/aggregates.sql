-- section: added
-- Number of rows of a value group with one value of a sensitive attribute, from its parts.
--
-- rows  how many rows of each part have
cast(sum({rows}) as bigint)

-- section: merged
-- Values of a sensitive attribute in a value group, from its parts.
--
-- held  the values of each part, a bit each
bit_or({held})

-- section: held
-- Values of a sensitive attribute in the rows of a tuple, a bit each; the missing value has none.
--
-- code    the column of their numbers, from 0
-- last    the highest number
-- values  how many numbers there are
coalesce(bitstring_agg({code}, 0, {last}), bitstring('0', {values}))

-- section: rows_with
-- Number of rows of a tuple with one value of a sensitive attribute.
--
-- code    the column of the values' numbers, from 0
-- number  the number of the value
cast(coalesce(sum(base.frequency) filter (where {code} = {number}), 0) as bigint)

-- section: rows_without
-- Number of rows of a tuple without a value of a sensitive attribute.
--
-- code  the column of the values' numbers, from 0
cast(coalesce(sum(base.frequency) filter (where {code} is null), 0) as bigint)

-- section: all
-- Count of all values in a value group, if it differs from the number of rows: each person counts once for a value, or
-- rows without a value are excluded.
--
-- rows  how many have each value, one column each
({rows})

-- section: blank
-- Condition for a value group without a value of a sensitive attribute.
--
-- size  #all
{size} = 0

-- section: always
-- The same for a table without a value of it: always true.
true
