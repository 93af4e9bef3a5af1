-- The nodes of the whole lattice with k-anonymous projections on every QID (Fung, Wang, Yu 2007, Definition 1).
--
-- every        the number of every node of the whole lattice
-- projections  one #projection per QID
--
-- One row per node.
select node.number
from (
    {every}
) as node
{projections}

-- section: projected_level
-- The amount added by an attribute's level at a node to the number of the node's projection on a QID.
--
-- stride  the attribute's stride in the whole lattice
-- levels  the number of levels of the attribute
-- step    the attribute's stride in the lattice of the QID
node.number // {stride} % {levels} * {step}

-- section: projection
-- Keep the nodes with a k-anonymous projection on the attributes of a QID.
--
-- anonymous  the k-anonymous nodes of the QID: id (the number in the QID's lattice)
-- qid        the alias of the k-anonymous nodes
-- number     the number of a node's projection: one #projected_level per attribute, added up
semi join {anonymous} as {qid}
    on {qid}.id = {number}
