-- Which values of a sensitive attribute a value group has, from what it is made of.
--
-- held  which of them each part has, a bit each
bit_or({held})
