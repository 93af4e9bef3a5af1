-- section: create
-- A table needed by a release beside the source, for a script; it ends with the script.
--
-- table    the table's name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
) on commit drop
