-- Counts for the loss of every cell: for a leaf and a level, the number of leaves under the leaf's ancestor at this
-- level, and the number of rows with the leaf.
--
-- generalization  the generalization relation: the ancestors of all members
-- marginals       one star/marginal per attribute, one after the other
--
-- One row per attribute, level and member (leaf), in this order. frequency is the leaf's number of rows, possibly 0.
select
    climb.dimension,
    climb.level,
    cast(climb.leaves as bigint) as leaves,
    cast(coalesce(marginal.frequency, 0) as bigint) as frequency
from {generalization} as climb
left join (
    {marginals}
) as marginal
    on marginal.dimension = climb.dimension
    and marginal.code = climb.code
order by
    climb.dimension,
    climb.level,
    climb.code
