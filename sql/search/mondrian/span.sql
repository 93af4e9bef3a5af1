-- The first and the last leaf of one attribute in a region.
--
-- path  the attribute's path column
-- low   the name of the first
-- high  the name of the last
min({path}) as {low},
max({path}) as {high}
