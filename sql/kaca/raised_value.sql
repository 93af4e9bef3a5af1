-- A value's ancestor after it was raised.
--
-- level   the level's column
-- height  the level of this ancestor
-- value   its column
case when {level} <= {height} then {value} end
