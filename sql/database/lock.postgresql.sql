-- Hold a target until the connection closes.
--
-- $key  the target's number
--
-- One row: whether no other run holds it.
select pg_catalog.pg_try_advisory_lock(cast($key as bigint)) as held
