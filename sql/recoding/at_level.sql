-- A cell at one level.
--
-- at     the level
-- value  the dimension table's column, or the text of a range
when {at} then {value}
