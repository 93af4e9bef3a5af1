-- The level of the closest common generalization (Definition 8) of one attribute.
--
-- level   the level's column
-- climbs  one kaca/climb per level, with steps of one level
greatest(seeker.{level}, other.{level}, {climbs})
