-- Existing objects with the names of a release and of its ledger.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger in the same schema
--
-- One row of truth values: the schema exists; a table with the name of the release; another object with this name; a
-- ledger; another object with the ledger's name. A table takes the name of a type, too.
select
    (
        select count(*)
        from pg_catalog.pg_namespace
        where nspname = $schema
    ) as schemas,
    count(*) filter (where relname = $table and relkind = 'r') as tables,
    count(*) filter (where relname = $table and relkind <> 'r') + (
        select count(*)
        from pg_catalog.pg_type
        where typname = $table
            and typrelid = 0
            and typnamespace = (
                select oid
                from pg_catalog.pg_namespace
                where nspname = $schema
            )
    ) as others,
    count(*) filter (where relname = $ledger and relkind = 'r') as ledgers,
    count(*) filter (where relname = $ledger and relkind <> 'r') as strange
from pg_catalog.pg_class
where relnamespace = (
    select oid
    from pg_catalog.pg_namespace
    where nspname = $schema
)
