-- How many rows of a value group have one value of a sensitive attribute, from what it is made of.
--
-- rows  how many rows of each part have
cast(sum({rows}) as bigint)
