-- section: create
-- A table of the staging area: nobody else sees it, and it is gone with the connection.
--
-- table    the table's name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
)

-- section: drop
-- Remove a table, if it is there. Nothing here is undone by a rollback.
--
-- table  the table's name
drop table if exists {table}

-- section: leftovers
-- Tables that begin with a prefix: stagings left over from killed runs on a target.
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
-- Rows kept by a run in the staging area: invisible to others, and gone with the connection.
--
-- table  the table's name
-- rows   the statement with these rows
create temporary table {table} as
{rows}
