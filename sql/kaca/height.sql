-- How far a level is from the leaves (Definition 5).
--
-- climbed  the distances of the levels, the leaves first
-- level    the level
([{climbed}])[{level} + 1]
