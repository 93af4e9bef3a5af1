-- section: known
-- All entries of the ledger for a table's name.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry, the last one first.
select
    run,
    origin,
    dimension_of,
    k,
    column_names
from {ledger}
where "release" = $release
order by number desc

-- section: ledgers
-- The ledgers of other schemas. One with policies is not read: they could run whatever its owner wrote.
--
-- $schema, $ledger  this schema, and the name of a ledger
--
-- One row per ledger: its schema, and true if it can be read.
select
    namespace.nspname as schema,
    not relation.relrowsecurity
    and has_schema_privilege(namespace.oid, 'usage')
    and has_table_privilege(relation.oid, 'select')
    and exists (
        select
        from pg_catalog.pg_attribute
        where attrelid = relation.oid
            and attname = 'origin'
    ) as readable
from pg_catalog.pg_class as relation
join pg_catalog.pg_namespace as namespace
    on namespace.oid = relation.relnamespace
where relation.relname = $ledger
    and relation.relkind = 'r'
    and relation.relpersistence <> 't'
    and namespace.nspname <> $schema
order by schema
