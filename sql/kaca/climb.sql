-- What follows where a seeker and another class differ in the digit of a level: they meet above it.
--
-- path     the path's column
-- size     the weight of the digits at the level
-- climbed  what follows
when xor(seeker.{path}, other.{path}) >= {size} then {climbed}
