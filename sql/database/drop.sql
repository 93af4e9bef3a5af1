-- Remove a table of the staging area.
--
-- table  its name
drop table {table}
