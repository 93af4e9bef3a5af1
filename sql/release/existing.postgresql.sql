-- What stands where a release is to go.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger beside it
--
-- One row: whether the schema exists, whether a table of that name, whether something else, whether a ledger.
select
    (
        select count(*)
        from pg_catalog.pg_namespace
        where nspname = $schema
    ) as schemas,
    count(*) filter (where relname = $table and relkind = 'r') as tables,
    count(*) filter (where relname = $table and relkind <> 'r') as others,
    count(*) filter (where relname = $ledger) as ledgers
from pg_catalog.pg_class
where relnamespace = (
    select oid
    from pg_catalog.pg_namespace
    where nspname = $schema
)
