-- A value's ancestor at a level, or the value itself where it is above.
--
-- path  the path's column
-- size  the weight of the digits at the level
{path} // {size}
