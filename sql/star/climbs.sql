-- The code of every member's ancestor at every level.
--
-- generalization  the generalization relation: the ancestors of all members
--
-- One row per attribute, level and member, in this order.
select
    dimension,
    level,
    code,
    ancestor
from {generalization}
order by
    dimension,
    level,
    code
