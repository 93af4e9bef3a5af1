-- A part of the classes of a table, whole ones.
--
-- $share   the number of parts
-- classes  classes: value_1, value_2, …, size
-- values   their values
--
-- One row per class of the part.
select *
from {classes}
where hash({values}) % $share = 0
