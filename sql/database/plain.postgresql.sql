-- Whether all rows of a table are its own, and whoever may write to it sees all of them.
--
-- $schema, $table  the table
--
-- One row.
select
    not relation.relforcerowsecurity
    and not exists (
        select
        from pg_catalog.pg_inherits
        where inhparent = relation.oid
    ) as plain
from pg_catalog.pg_class as relation
where relation.relname = $table
    and relation.relnamespace = (
        select oid
        from pg_catalog.pg_namespace
        where nspname = $schema
    )
