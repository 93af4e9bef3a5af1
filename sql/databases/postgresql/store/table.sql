-- section: create
-- A table of the staging area. It is gone where the transaction is rolled back.
--
-- table    its name
-- columns  one store/column per column
create unlogged table {table} (
    {columns}
)

-- section: keep
-- Rows that a run keeps in the staging area. They are gone where the transaction is rolled back.
--
-- table  the table's name
-- rows   the statement that yields them
create unlogged table {table} as
{rows}
