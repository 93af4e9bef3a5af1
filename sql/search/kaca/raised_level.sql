-- A value's level, at least the one given.
--
-- own    the value's level
-- level  the level
greatest({own}, {level})
