-- The ancestor of every code at every level, and what it costs to release that in its place.
--
-- generalization  the generalization relation
--
-- One row per attribute, level and member, in this order. loss is the share of the other leaves that it covers
-- (0 … 1).
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
