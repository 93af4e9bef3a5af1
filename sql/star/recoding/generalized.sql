-- The generalized tuples of a recoding, as the release shows them.
--
-- cells     one cell per attribute, as cell_1, cell_2, …
-- checksum  recoding.checksum if the recoding has it, else 0
-- recoding  the recoding
-- members   one star/recoding/single_dimension#member per attribute
--
-- One row per released row of the recoding.
select
    {cells},
    recoding.frequency as frequency,
    {checksum} as checksum
from {recoding} as recoding
{members}
where not recoding.suppressed

-- section: value_groups
-- The generalized tuples of a full-domain generalization, as shown by the release. They are counted by their codes,
-- which are shorter than texts.
--
-- cells    the dimension tables' columns at the node's levels, as cell_1, cell_2, …
-- groups   #grouped, or the star itself if it is wide
-- kept     #kept if value groups are suppressed, or nothing
-- members  one star/recoding/single_dimension#member per attribute
--
-- One row per released value group of the node, or per row of the star.
select
    {cells},
    value_group.frequency as frequency,
    value_group.checksum as checksum
from {groups} as value_group
{members}
{kept}

-- section: grouped
-- The value groups of a node.
--
-- values   the node's level columns of the star, as value_1, value_2, …
-- star     the star
--
-- One row per value group.
(
    select
        {values},
        cast(sum(frequency) as bigint) as frequency,
        sum(checksum) as checksum
    from {star}
    group by all
)

-- section: kept
-- Suppressed value groups do not count.
--
-- outliers  star/recoding/outliers
-- match     one star/recoding/recode#match per attribute: the group is that outlier
where not exists (
    select 1
    from {outliers} as outlier
    where {match}
)
