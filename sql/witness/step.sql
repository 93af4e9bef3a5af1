-- A level at which a tuple does not yet coincide with a witness takes it one level up.
--
-- column  the attribute's column of that level
-- stride  what a level of the attribute adds to the number of a node
(tuples.{column} <> witness.{column})::integer * {stride}
