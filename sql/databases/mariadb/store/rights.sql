-- section: create
-- True if the user may have the right to make a table in a schema: by a grant on all schemas, on a pattern of schemas
-- or on a table there, or by a role.
--
-- $schema  the schema
--
-- One row.
-- One row.
select
    exists (
        select 1
        from information_schema.user_privileges
        where privilege_type = 'CREATE'
    ) or exists (
        select 1
        from information_schema.schema_privileges
        where privilege_type = 'CREATE'
            and $schema like table_schema
    ) or exists (
        select 1
        from information_schema.table_privileges
        where privilege_type = 'CREATE'
            and table_schema = $schema
    ) or exists (
        select 1
        from information_schema.applicable_roles
    ) as may_create
