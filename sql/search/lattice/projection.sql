-- Keep the nodes whose projection on the attributes of a QID is one of its k-anonymous nodes.
--
-- anonymous  the k-anonymous nodes of the QID: id (the number in its own lattice)
-- qid        its name in the statement
-- number     the number of a node's projection: one search/lattice/projected_level per attribute, added up
semi join {anonymous} as {qid}
    on {qid}.id = {number}
