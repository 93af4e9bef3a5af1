-- section: create
-- Create a temporary table for rows of a run: no other connection sees it, and it ends with the connection.
--
-- table    the table's name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
)

-- section: drop
-- Drop a table, if it exists. A rollback does not restore it.
--
-- table  the table's name
drop table if exists {table}

-- section: leftovers
-- Tables with names that begin with a prefix: unfinished tables of killed runs on a target.
--
-- $schema, $prefix  the schema of the tables, and the beginning of their names
--
-- One row per table.
select table_name as "table"
from information_schema.tables
where table_schema = $schema
    and left(table_name, char_length($prefix)) = $prefix
order by table_name

-- section: keep
-- Create a temporary table with rows of a run: no other connection sees it, and it ends with the connection.
--
-- table  the table's name
-- rows   the statement with the rows
create temporary table {table} as
{rows}
