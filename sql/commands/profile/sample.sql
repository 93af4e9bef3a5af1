-- A sample of a table's equivalence classes, one of $share parts by a hash: each sampled class has all of its rows.
--
-- $share   the number of parts
-- classes  classes: value_1, value_2, …, size
-- values   the value columns of the classes
--
-- One row per class of the part.
select *
from {classes}
where hash({values}) % $share = 0
