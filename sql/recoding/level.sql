-- The level that every value of an attribute goes to.
--
-- level  the level
cast({level} as utinyint)
