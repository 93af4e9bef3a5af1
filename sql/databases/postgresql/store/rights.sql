-- Rights of users other than the owner on a table. They are lost if the table is dropped.
--
-- $schema, $table  the table
--
-- One row; a right never granted is missing.
select
    min(cast(relation.relacl as text)) as of_table,
    string_agg(attribute.attname || ': ' || cast(attribute.attacl as text), ', ' order by attribute.attname)
        as of_columns,
    bool_or(relation.relrowsecurity) as by_row
from pg_catalog.pg_class as relation
left join pg_catalog.pg_attribute as attribute
    on attribute.attrelid = relation.oid
    and attribute.attacl is not null
where relation.relname = $table
    and relation.relnamespace = (
        select oid
        from pg_catalog.pg_namespace
        where nspname = $schema
    )

-- section: plain
-- True if all rows of a table are its own (not those of a partition or a child table), and the user may see all of
-- them.
--
-- $schema, $table  the table
--
-- One row.
select
    not row_security_active(relation.oid)
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

-- section: create
-- True if the user may make a table in a schema.
--
-- $schema  the schema
--
-- One row.
select has_schema_privilege(oid, 'create') as may_create
from pg_catalog.pg_namespace
where nspname = $schema
