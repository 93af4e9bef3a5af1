-- What holds where both ends of a region are under one value of a level, and under none below.
--
-- low    the first leaf
-- high   the last leaf
-- size   the first number that has a digit of the level
-- holds  what holds
when xor({low}, {high}) < {size} then {holds}
