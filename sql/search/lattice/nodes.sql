-- Nodes of the lattice, from their numbers.
--
-- levels   one search/lattice/level per attribute
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
