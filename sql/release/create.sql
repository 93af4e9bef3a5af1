-- A table that a release needs beside the source, for a script.
--
-- table    its name
-- columns  its columns with their types
create temporary table {table} (
    {columns}
)
