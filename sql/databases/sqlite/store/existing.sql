-- Existing objects with the names of a release and of its ledger. SQLite ignores the case of names.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger in the same schema
--
-- One row of truth values: the schema exists; a table with the name of the release; another object with this name; a
-- ledger; another object with the ledger's name.
select
    $schema = 'main' as schemas,
    count(*) filter (where lower(name) = lower($table) and type = 'table') as tables,
    count(*) filter (where lower(name) = lower($table) and type <> 'table') as others,
    count(*) filter (where lower(name) = $ledger and type = 'table') as ledgers,
    count(*) filter (where lower(name) = $ledger and type <> 'table') as strange
from main.sqlite_master
