-- section: added
-- Number of rows with one sensitive value in a value group: the sum over the tuples or groups merged into it.
--
-- rows  the column with the number of rows of this value per tuple or merged group
cast(sum({rows}) as bigint)

-- section: merged
-- Set of a sensitive attribute's values in a value group, as a bit string: the union over the tuples or groups merged
-- into it.
--
-- held  the column with the set of values per tuple or merged group, one bit per value
bit_or({held})

-- section: held
-- Set of a sensitive attribute's values in the rows of a tuple, as a string of one bit per value; the missing value has
-- no bit.
--
-- code    the column with the code of a row's value, from 0
-- last    the highest code of a value
-- values  number of the attribute's values in the table, 1 if there is none
coalesce(bitstring_agg({code}, 0, {last}), bitstring('0', {values}))

-- section: rows_with
-- Number of rows of a tuple with one value of a sensitive attribute.
--
-- code    the column with the code of a row's value, from 0
-- number  the code of the counted value
cast(coalesce(sum(base.frequency) filter (where {code} = {number}), 0) as bigint)

-- section: rows_without
-- Number of rows of a tuple with a missing value of a sensitive attribute.
--
-- code  the column with the code of a row's value, from 0; null for the missing value
cast(coalesce(sum(base.frequency) filter (where {code} is null), 0) as bigint)

-- section: all
-- Base of the shares in a value group, if it differs from the number of rows. It is the sum of the counts of all
-- values: each person counts once per value, or rows without a value are excluded.
--
-- rows  the columns with the number of rows or persons per value, joined by +
({rows})

-- section: blank
-- Condition for a value group without a value of a sensitive attribute.
--
-- size  #all, the sum of the counts of all values
{size} = 0

-- section: always
-- Condition for a value group without a value of a sensitive attribute, in a table without any value: always true.
true
