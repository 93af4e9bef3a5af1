-- section: create
-- Create a table for rows of a run. A rollback of the transaction removes it.
--
-- table    the table's name
-- columns  one store/column per column
create unlogged table {table} (
    {columns}
)

-- section: keep
-- Create a table with rows of a run. A rollback of the transaction removes it.
--
-- table  the table's name
-- rows   the statement with the rows
create unlogged table {table} as
{rows}
