-- section: create
-- A table of the staging area. A rollback of the transaction removes it.
--
-- table    the table's name
-- columns  one store/column per column
create unlogged table {table} (
    {columns}
)

-- section: keep
-- Rows kept by a run in the staging area. A rollback of the transaction removes them.
--
-- table  the table's name
-- rows   the statement with these rows
create unlogged table {table} as
{rows}
