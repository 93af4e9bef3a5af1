-- Publish a script's release as a table; one that is there already stays.
--
-- table  its name
-- rows   the checked release
create table {table} as
{rows}
