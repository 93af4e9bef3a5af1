-- Content of a release's place. DuckDB ignores the case of names.
--
-- $database, $schema, $table  the target
-- $ledger                     the name of the ledger beside it
--
-- One row: true if the schema exists, a table of that name, another object, a ledger, another object of the ledger's
-- name.
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

-- section: mark
-- The comment of a table. It marks a release that is in no ledger.
--
-- $database, $schema, $table  the table
--
-- One row.
select max(comment) as mark
from duckdb_tables()
where database_name = $database
    and lower(schema_name) = lower($schema)
    and lower(table_name) = lower($table)
