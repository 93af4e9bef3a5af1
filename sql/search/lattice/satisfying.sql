-- The nodes that satisfy every QID (Fung, Wang, Yu 2007, Definition 1).
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
-- levels  how many levels it has
-- step    its stride in the lattice of the QID
node.number // {stride} % {levels} * {step}

-- section: projection
-- Keep the nodes whose projection on the attributes of a QID is one of its k-anonymous nodes.
--
-- anonymous  the k-anonymous nodes of the QID: id (the number in its own lattice)
-- qid        its name in the statement
-- number     the number of a node's projection: one #projected_level per attribute, added up
semi join {anonymous} as {qid}
    on {qid}.id = {number}
