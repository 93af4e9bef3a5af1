-- What an attribute's level at a node adds to the number of the node's projection on a QID.
--
-- stride  the attribute's stride in the whole lattice
-- levels  how many levels it has
-- step    its stride in the lattice of the QID
node.number // {stride} % {levels} * {step}
