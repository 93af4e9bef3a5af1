-- An attribute's level at a node, from the node's number in the lattice.
--
-- stride  the attribute's stride
-- levels  how many levels it has
cast(number // {stride} % {levels} as utinyint)
