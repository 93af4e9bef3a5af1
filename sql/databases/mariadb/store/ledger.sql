-- section: known
-- All entries of the ledger for a table's name. Some servers ignore the case of names.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry, the last one first.
select
    run,
    origin,
    dimension_of,
    k,
    column_names
from {ledger}
where "release" = $release
    or (@@lower_case_table_names <> 0 and lower("release") = lower($release))
order by number desc

-- section: ledgers
-- The ledgers of other schemas, as far as the user knows of them.
--
-- $schema, $ledger  this schema, and the name of a ledger
--
-- One row per ledger: its schema, and true if it can be read.
select
    "columns".table_schema as "schema",
    count(case when column_name = 'origin' and privileges like '%select%' then 1 end) = 1 as readable
from information_schema."columns"
join information_schema."tables"
    on "tables".table_schema = "columns".table_schema
    and "tables".table_type = 'BASE TABLE'
where "columns".table_name = $ledger
    and "tables".table_name = $ledger
    and "columns".table_schema <> $schema
group by "columns".table_schema
order by "columns".table_schema
