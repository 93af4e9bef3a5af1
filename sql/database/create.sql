-- A table of the staging area.
--
-- table    its name
-- columns  its columns with their types
create table {table} (
    {columns}
)
