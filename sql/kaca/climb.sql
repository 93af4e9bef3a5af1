-- What it takes for a seeker and another class to meet above a level: nothing where they do so at the level.
--
-- step  the step, as a distance or as one level
-- path  the path's column
-- size  the weight of the digits at the level
{step} * cast(xor(seeker.{path}, other.{path}) >= {size} as bigint)
