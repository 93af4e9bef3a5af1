-- A table of the staging area. It is gone where the transaction is rolled back.
--
-- table    its name
-- columns  its columns with their types
create unlogged table {table} (
    {columns}
)
