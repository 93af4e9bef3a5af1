-- The masked values as a cut: the level of each member.
--
-- $dimensions     the attribute's position of each masked value
-- $levels         its level
-- $ancestors      the code of its first leaf, its key
-- generalization  the members of all dimensions at every level
--
-- One row per member: a disclosed leaf goes to its own level, not to that of the suppressed ones.
select
    node.dimension,
    member.code,
    min(node.level) as level
from (
    select
        unnest($dimensions) as dimension,
        unnest($levels) as level,
        unnest($ancestors) as ancestor
) as node
join {generalization} as member using (dimension, level, ancestor)
group by
    node.dimension,
    member.code
