-- Si: the k-anonymous candidate nodes. A node never checked is k-anonymous: it generalizes a k-anonymous node.
--
-- nodes    C of this iteration: the candidate nodes
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

-- section: unchecked
-- The empty relation of verdicts, before any node is checked.
--
-- No row; the columns of search/lattice/verdict.
select
    cast(null as utinyint) as iteration,
    cast(null as bigint) as node,
    cast(null as bigint) as height,
    cast(null as bigint) as grouping,
    cast(null as bigint) as frequency_set,
    cast(null as boolean) as root,
    cast(null as bigint) as groups,
    cast(null as bigint) as classes,
    cast(null as bigint) as outliers,
    cast(null as boolean) as anonymous
where false

-- section: summary
-- Numbers of candidate and of k-anonymous nodes in one iteration.
--
-- nodes      C of this iteration: the candidate nodes
-- survivors  S of this iteration: the k-anonymous nodes
--
-- One row: the numbers of candidates and of k-anonymous nodes.
select
    (select count(*) from {nodes}) as candidates,
    (select count(*) from {survivors}) as anonymous
