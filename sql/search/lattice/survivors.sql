-- Si: the candidates that were not found to violate it. One that was never checked is a generalization of a k-anonymous
-- one.
--
-- nodes    C of this iteration
-- checked  the nodes checked so far, with their verdict
--
-- One row per k-anonymous node.
select node.*
from {nodes} as node
anti join (
    select node
    from {checked}
    where not anonymous
) as violating
    on violating.node = node.id
