-- The place of a value in the order.
--
-- text   the value
-- place  its place
when {text} then {place}
