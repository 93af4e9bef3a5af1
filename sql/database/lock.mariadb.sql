-- Hold a target until the connection closes.
--
-- $key  the target's number
--
-- One row: whether no other run holds it.
select get_lock($key, 0) as held
