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
