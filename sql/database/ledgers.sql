-- The ledgers of other schemas of a DuckDB file.
--
-- $database          the file, as the working store has it
-- $schema, $ledger   this schema, and the name of a ledger
--
-- One row per ledger, with whether it can be read.
select
    tables.schema_name as schema,
    2 = (
        select count(*)
        from duckdb_columns() as found
        where found.table_oid = tables.table_oid
            and found.database_oid = tables.database_oid
            and found.column_name in ('origin', 'source')
    ) as readable
from duckdb_tables() as tables
where tables.database_name = $database
    and tables.table_name = $ledger
    and lower(tables.schema_name) <> lower($schema)
order by schema
