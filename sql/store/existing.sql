-- What stands where a release is to go. DuckDB knows names whatever their case.
--
-- $database, $schema, $table  the target
-- $ledger                     the name of the ledger beside it
--
-- One row: whether the schema exists, whether a table of that name, whether something else, whether a ledger, whether
-- something else of its name.
select
    (
        select count(*)
        from duckdb_schemas()
        where database_name = $database
            and lower(schema_name) = lower($schema)
    ) as schemas,
    count(*) filter (where lower(name) = lower($table) and is_table) as tables,
    count(*) filter (where lower(name) = lower($table) and not is_table) as others,
    count(*) filter (where lower(name) = $ledger and is_table) as ledgers,
    count(*) filter (where lower(name) = $ledger and not is_table) as strange
from (
    select
        table_name as name,
        true as is_table
    from duckdb_tables()
    where database_name = $database
        and lower(schema_name) = lower($schema)
    union all
    select
        view_name as name,
        false as is_table
    from duckdb_views()
    where database_name = $database
        and lower(schema_name) = lower($schema)
) as found

-- dialect: mariadb
-- What stands where a release is to go. Some servers know names whatever their case; the catalog always compares so.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger beside it
--
-- One row: whether the schema exists, whether a table of that name, whether something else, whether a ledger, whether
-- something else of its name.
select
    (
        select count(*)
        from information_schema.schemata
        where schema_name = $schema
    ) as "schemas",
    count(case when is_target and table_type = 'BASE TABLE' then 1 end) as "tables",
    count(case when is_target and table_type <> 'BASE TABLE' then 1 end) as others,
    count(case when table_name = $ledger and table_type = 'BASE TABLE' then 1 end) as ledgers,
    count(case when table_name = $ledger and table_type <> 'BASE TABLE' then 1 end) as strange
from (
    select
        table_name,
        table_type,
        convert(table_name using utf8mb4) collate utf8mb4_nopad_bin = $table
        or (
            @@lower_case_table_names <> 0
            and lower(convert(table_name using utf8mb4)) collate utf8mb4_nopad_bin = lower($table)
        ) as is_target
    from information_schema.tables
    where table_schema = $schema
) as found

-- dialect: postgresql
-- What stands where a release is to go.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger beside it
--
-- One row: whether the schema exists, whether a table of that name, whether something else, whether a ledger, whether
-- something else of its name. A table takes the name of a type, too.
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

-- dialect: sqlite
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

-- section: mark
-- The comment of a table, by which a release is known that no ledger tells of.
--
-- $database, $schema, $table  the table
--
-- One row.
select max(comment) as mark
from duckdb_tables()
where database_name = $database
    and lower(schema_name) = lower($schema)
    and lower(table_name) = lower($table)
