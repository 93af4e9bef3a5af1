-- Existing objects with the names of a release and of its ledger. DuckDB ignores the case of names.
--
-- $database, $schema, $table  the target of the release
-- $ledger                     the name of the ledger in the same schema
--
-- One row with numbers of objects: the schema itself; tables and other objects with the name of the release; tables and
-- other objects with the name of the ledger.
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
-- The comment of a table. A mark in the comment identifies a release without an entry in a ledger.
--
-- $database, $schema, $table  the table
--
-- One row.
select max(comment) as mark
from duckdb_tables()
where database_name = $database
    and lower(schema_name) = lower($schema)
    and lower(table_name) = lower($table)
