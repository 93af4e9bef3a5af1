-- section: number
-- The number that is the place of a value.
--
-- text  the value as text
cast({text} as decimal(65, 20))
