-- A full-domain generalization as a recoding: every tuple of the base frequency set, the level of each of its cells,
-- and whether it is suppressed.
--
-- codes       the leaf columns of the star, as code_1, code_2, …
-- levels      the node's levels, as level_1, level_2, …
-- suppressed  #rare, or #none_rare if no value group of the node is suppressed
-- star        the star: the base frequency set with codes in place of values
--
-- One row per row of the star.
select
    {codes},
    {levels},
    frequency,
    {suppressed} as suppressed
from {star}

-- section: none_rare
-- False, as no value group of the node is suppressed.
false

-- section: rare
-- True if a tuple's value group is suppressed. Codes are never missing.
--
-- value_group  the star's columns at the node's levels
-- values       the columns of the suppressed groups: value_1, value_2, …
-- outliers     star/recoding/outliers: the suppressed groups
(({value_group}) in (select ({values}) from {outliers}))

-- section: level
-- The level of an attribute's cells, as a constant.
--
-- level  the level
cast({level} as utinyint)
