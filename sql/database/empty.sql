-- Take the old release's rows away; until the transaction ends, others go on reading them.
--
-- table  the release
delete from {table}
