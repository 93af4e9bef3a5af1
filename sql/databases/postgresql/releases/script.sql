-- section: create
-- A table needed by a release beside the source, for a script; it ends with the script.
--
-- table    its name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
) on commit drop

-- section: kept_rows
-- Rows unchanged for the rest of a script, whatever happens to the source meanwhile; they end with it.
--
-- name  the temporary table's name
-- rows  the statement with these rows
create temporary table {name} on commit drop as
{rows}
