-- The generalized tuples of a recoding, with the texts of their released cells.
--
-- cells     the text of one cell per attribute, as cell_1, cell_2, …
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
-- The generalized tuples of a full-domain generalization, with the texts of their released cells. Tuples are grouped by
-- codes, which are shorter than texts.
--
-- cells    the dimension tables' columns at the node's levels, as cell_1, cell_2, …
-- groups   #grouped, or the star itself if it has many attributes
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
-- star     the star: the base frequency set with codes in place of values
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
-- Condition for value groups that are not suppressed.
--
-- outliers  star/recoding/outliers: the suppressed groups
-- match     one star/recoding/recode#match per attribute: the group equals the suppressed group
where not exists (
    select 1
    from {outliers} as outlier
    where {match}
)
