-- A table of the staging area. It is gone where the transaction is rolled back.
--
-- table    its name
-- columns  one release/column per column
create unlogged table {table} (
    {columns}
)
