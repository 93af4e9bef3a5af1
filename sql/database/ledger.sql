-- The ledger of a schema: what was released into it, when, and how.
--
-- ledger   its name
-- columns  its columns with their types
create table {ledger} (
    {columns}
)
