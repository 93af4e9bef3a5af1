-- What stands where a release is to go.
--
-- $database, $schema, $table  the target
--
-- One row: whether the schema exists, the comment of a table of that name (missing without one), whether a view has it.
select
    (
        select count(*)
        from duckdb_schemas()
        where database_name = $database
            and lower(schema_name) = lower($schema)
    ) as schemas,
    (
        select max(coalesce(comment, ''))
        from duckdb_tables()
        where database_name = $database
            and lower(schema_name) = lower($schema)
            and lower(table_name) = lower($table)
    ) as comment,
    (
        select count(*)
        from duckdb_views()
        where database_name = $database
            and lower(schema_name) = lower($schema)
            and lower(view_name) = lower($table)
    ) as views
