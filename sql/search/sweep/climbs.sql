-- The ancestor of every code at every level, and the cost of releasing it instead.
--
-- generalization  the generalization relation
--
-- One row per attribute, level and member, in this order. loss is the covered share of the other leaves (0 … 1).
select
    dimension,
    level,
    ancestor,
    loss
from {generalization}
order by
    dimension,
    level,
    code
