-- section: number
-- The place of a value in the order of numbers: the value itself as a number.
--
-- text  the value as text
cast({text} as real)
