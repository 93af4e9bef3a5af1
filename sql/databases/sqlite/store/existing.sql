-- What stands where a release is to go. SQLite knows names whatever their case.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger beside it
--
-- One row: whether the schema exists, whether a table of that name, whether something else, whether a ledger, whether
-- something else of its name.
select
    $schema = 'main' as schemas,
    count(*) filter (where lower(name) = lower($table) and type = 'table') as tables,
    count(*) filter (where lower(name) = lower($table) and type <> 'table') as others,
    count(*) filter (where lower(name) = $ledger and type = 'table') as ledgers,
    count(*) filter (where lower(name) = $ledger and type <> 'table') as strange
from main.sqlite_master
