-- The level of the closest value that covers all leaves of one attribute in a region.
--
-- levels  one search/mondrian/at_level per level, from the leaves up
cast(case {levels} end as utinyint)
