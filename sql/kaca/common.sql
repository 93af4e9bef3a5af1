-- How far one attribute's closest common generalization (Definition 8) of a seeker and another class is from the
-- leaves (Definition 5).
--
-- matches  one kaca/match per level, from the lowest
-- root     the distance of the root
case {matches} else {root} end
