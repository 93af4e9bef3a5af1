-- The place of a value in the order.
--
-- text     the value as text
-- places   one privacy/t_closeness/at per value
-- missing  the place of the missing value
case {text} {places} else {missing} end
