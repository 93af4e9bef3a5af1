-- A cell at one level.
--
-- at     the level
-- value  the dimension table's column
when {at} then {value}
