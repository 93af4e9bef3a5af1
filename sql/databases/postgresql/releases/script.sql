-- section: create
-- Create a temporary table needed by a script in addition to the source, such as a hierarchy; it ends with the script.
--
-- table    the table's name
-- columns  one store/column per column
create temporary table {table} (
    {columns}
) on commit drop
