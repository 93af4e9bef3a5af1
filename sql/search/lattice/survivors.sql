-- Si: the k-anonymous candidate nodes. A node never checked is k-anonymous: it generalizes a k-anonymous node.
--
-- nodes     C of this iteration: the candidate nodes
-- verdicts  search/lattice/verdict: the verdicts so far
--
-- One row per k-anonymous node.
select node.*
from {nodes} as node
anti join (
    select grouping
    from {verdicts}
    where not anonymous
) as violating using (grouping)
