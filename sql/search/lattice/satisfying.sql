-- The nodes that satisfy every QID (Fung, Wang, Yu 2007, Definition 1).
--
-- every        the number of every node of the whole lattice
-- projections  one search/lattice/projection per QID
--
-- One row per node.
select node.number
from (
    {every}
) as node
{projections}
