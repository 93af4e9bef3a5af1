-- The ancestor of every leaf code at every level of its hierarchy, and the loss of releasing the ancestor instead.
--
-- generalization  the generalization relation: the ancestors of all members
--
-- One row per attribute, level and leaf code, in this order. loss is the share of the attribute's other leaves covered
-- by the ancestor (0 … 1).
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
