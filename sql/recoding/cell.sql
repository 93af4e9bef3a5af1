-- A cell at a level that depends on the row.
--
-- level   the level
-- values  one recoding/at_level per level
case {level} {values} end
