-- The cut of a recoding by masked values: the level that each member (leaf) is generalized to.
--
-- $dimensions     the attribute's position of each masked value
-- $levels         the level of each masked value
-- $ancestors      the code of the first leaf of each masked value
-- generalization  the members of all dimensions at every level
--
-- One row per member. Of several masked values above a member, the lowest level counts: a disclosed leaf stays at 0.
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
