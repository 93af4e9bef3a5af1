-- Write the release to a table. An existing table of this name, with an older release, is replaced.
--
-- table    the table's name
-- release  star/recoding/recode
create or replace table {table} as
{release}
