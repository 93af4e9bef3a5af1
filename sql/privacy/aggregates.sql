-- section: added
-- How many rows of a value group have one value of a sensitive attribute, from what it is made of.
--
-- rows  how many rows of each part have
cast(sum({rows}) as bigint)

-- section: merged
-- Which values of a sensitive attribute a value group has, from what it is made of.
--
-- held  which of them each part has, a bit each
bit_or({held})

-- section: held
-- Which values of a sensitive attribute the rows of a tuple have, a bit each; a missing value is none.
--
-- code    the column of their numbers, from 0
-- last    the highest number
-- values  how many numbers there are
coalesce(bitstring_agg({code}, 0, {last}), bitstring('0', {values}))

-- section: rows_with
-- How many rows of a tuple have one value of a sensitive attribute.
--
-- code    the column of the values' numbers, from 0
-- number  that of the value
cast(coalesce(sum(base.frequency) filter (where {code} = {number}), 0) as bigint)

-- section: rows_without
-- How many rows of a tuple have no value of a sensitive attribute.
--
-- code  the column of the values' numbers, from 0
cast(coalesce(sum(base.frequency) filter (where {code} is null), 0) as bigint)

-- section: all
-- What a value group has of all values, where not every row is one: where each person counts once for a value, or rows
-- without a value are left out.
--
-- rows  how many have each value, one column each
({rows})

-- section: blank
-- That a value group has no value of a sensitive attribute.
--
-- size  #all
{size} = 0

-- section: always
-- That a value group has no value of a sensitive attribute, since the table has none.
true
