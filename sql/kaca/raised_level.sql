-- A value's level, at least the one given.
--
-- own    kaca/level
-- level  the level
greatest({own}, {level})
