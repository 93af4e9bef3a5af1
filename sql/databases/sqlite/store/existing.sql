-- Content of a release's place. SQLite ignores the case of names.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger beside it
--
-- One row: true if the schema exists, a table of that name, another object, a ledger, another object of the ledger's
-- name.
select
    $schema = 'main' as schemas,
    count(*) filter (where lower(name) = lower($table) and type = 'table') as tables,
    count(*) filter (where lower(name) = lower($table) and type <> 'table') as others,
    count(*) filter (where lower(name) = $ledger and type = 'table') as ledgers,
    count(*) filter (where lower(name) = $ledger and type <> 'table') as strange
from main.sqlite_master
