-- The ledger of a schema: what was released into it, when, and how.
--
-- ledger   its name
-- columns  one release/column per column
create table {ledger} (
    {columns}
)
