-- The level of the closest common generalization (Definition 8) of one attribute.
--
-- level   the level's column
-- climbs  kaca/climbs, to levels
greatest(seeker.{level}, other.{level}, {climbs})
