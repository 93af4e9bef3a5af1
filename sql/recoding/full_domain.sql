-- A full-domain generalization as a recoding: every tuple of the base frequency set, the level of each of its cells,
-- and whether it is suppressed.
--
-- codes       the leaf columns of the star, as code_1, code_2, …
-- levels      the node's levels, as level_1, level_2, …
-- suppressed  recoding/rare, or recoding/none_rare where no value group of the node is
-- star        the star
--
-- One row per row of the star.
select
    {codes},
    {levels},
    frequency,
    {suppressed} as suppressed
from {star}
