-- The rows of a value group, from those of what it is made of.
cast(sum(frequency) as bigint) as frequency
