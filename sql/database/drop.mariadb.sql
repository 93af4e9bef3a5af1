-- Remove a table, if it is there. Nothing here is undone by a rollback.
--
-- table  its name
drop table if exists {table}
