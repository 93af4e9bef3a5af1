-- Write the release as a table, in place of the release before it.
--
-- table    its name
-- release  star/recoding/recode
create or replace table {table} as
{release}
