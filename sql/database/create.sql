-- A table of the staging area.
--
-- table    its name
-- columns  one release/column per column
create table {table} (
    {columns}
)
