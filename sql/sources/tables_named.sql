-- Tables with the name of a missing table, in any schema and in any case.
--
-- $table  the missing table's name, without its schema
--
-- One row per table, at most five.
select
    table_schema,
    table_name
from information_schema.tables
where lower(table_name) = lower($table)
order by table_schema, table_name
limit 5

-- section: attached
-- Tables with the name of a missing table, in the database file attached to the working store.
--
-- $table  the missing table's name, without its schema
select
    table_schema,
    table_name
from information_schema.tables
where lower(table_name) = lower($table)
    and table_catalog = 'origin'
order by table_schema, table_name
limit 5
