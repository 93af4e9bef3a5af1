-- Data of every value for the loss: the leaves under it, and the rows of its first leaf.
--
-- generalization  the generalization relation
-- marginals       one star/marginal per attribute, one after the other
--
-- One row per attribute, level and member, in this order. frequency is that of the leaf, 0 for a leaf without rows.
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
