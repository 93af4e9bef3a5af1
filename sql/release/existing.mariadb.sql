-- What stands where a release is to go.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger beside it
--
-- One row: whether the schema exists, whether a table of that name, whether something else, whether a ledger.
select
    (
        select count(*)
        from information_schema.schemata
        where schema_name = $schema
    ) as "schemas",
    count(case when table_name = $table and table_type = 'BASE TABLE' then 1 end) as "tables",
    count(case when table_name = $table and table_type <> 'BASE TABLE' then 1 end) as others,
    count(case when table_name = $ledger then 1 end) as ledgers
from information_schema.tables
where table_schema = $schema
