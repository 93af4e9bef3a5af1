-- Nodes of the lattice, from their numbers.
--
-- levels   one #level per attribute
-- numbers  the numbers of the nodes in the lattice, as number
--
-- One row per node.
select
    id,
    levels,
    cast(list_sum(levels) as integer) as height
from (
    select
        cast(number as bigint) as id,
        [{levels}] as levels
    from (
        {numbers}
    )
)

-- section: level
-- An attribute's level at a node, from the node's number in the lattice.
--
-- stride  the attribute's stride
-- levels  how many levels it has
cast(number // {stride} % {levels} as utinyint)
