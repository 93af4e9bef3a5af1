-- A table of the staging area: nobody else sees it, and it is gone with the connection.
--
-- table    its name
-- columns  its columns with their types
create temporary table {table} (
    {columns}
)
