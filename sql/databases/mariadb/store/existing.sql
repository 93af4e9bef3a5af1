-- Existing objects with the names of a release and of its ledger. Some servers ignore the case of names; the catalog
-- always compares so.
--
-- $schema, $table  the target
-- $ledger          the name of the ledger in the same schema
--
-- One row of truth values: the schema exists; a table with the name of the release; another object with this name; a
-- ledger; another object with the ledger's name.
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
