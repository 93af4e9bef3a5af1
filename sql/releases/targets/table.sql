-- Write the release as a table, in place of the release before it.
--
-- table    the table's name
-- release  star/recoding/recode
create or replace table {table} as
{release}
