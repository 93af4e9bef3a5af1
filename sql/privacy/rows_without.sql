-- How many rows of a tuple have no value of a sensitive attribute.
--
-- code  the column of the values' numbers, from 0
cast(coalesce(sum(base.frequency) filter (where {code} is null), 0) as bigint)
