-- A table that a release needs beside the source, for a script.
--
-- table    its name
-- columns  one release/column per column
create temporary table {table} (
    {columns}
)
