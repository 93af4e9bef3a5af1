-- A table of the staging area: nobody else sees it, and it is gone with the connection.
--
-- table    its name
-- columns  one release/column per column
create temporary table {table} (
    {columns}
)
