-- How many rows of a tuple have one value of a sensitive attribute.
--
-- code    the column of the values' numbers, from 0
-- number  that of the value
cast(coalesce(sum(base.frequency) filter (where {code} = {number}), 0) as bigint)
