-- A level, where both ends of a region are under one of its values, and under none of those below.
--
-- low    the first leaf
-- high   the last leaf
-- size   the first number that has a digit of the level
-- level  the level
when xor({low}, {high}) < {size} then {level}
