-- Whether a tuple's value group is left out. Codes are never missing.
--
-- value_group  the node's level columns of the star
-- values       value_1, value_2, …
-- outliers     recoding/outliers
(({value_group}) in (select ({values}) from {outliers}))
