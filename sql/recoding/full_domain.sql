-- A full-domain generalization as a recoding: every tuple of the base frequency set, the level of each of its cells,
-- and whether it is suppressed.
--
-- $k           the smallest allowed value group
-- codes        the leaf columns of the star, as code_1, code_2, …
-- levels       the node's levels, as level_1, level_2, …
-- value_group  the node's level columns of the star
-- star         the star
--
-- One row per row of the star. A tuple is suppressed where its value group at the node has fewer than k rows.
select
    {codes},
    {levels},
    frequency,
    sum(frequency) over (partition by {value_group}) < $k as suppressed
from {star}
