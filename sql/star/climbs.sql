-- The code of every member's ancestor at every level.
--
-- generalization  the generalization relation: the ancestors of all members
--
-- One row per attribute, level and member.
select
    dimension,
    level,
    code,
    ancestor
from {generalization}
