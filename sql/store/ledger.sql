-- A new ledger: a table with the releases in its schema, with their times and settings.
--
-- ledger   the ledger's name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)

-- section: entry
-- Insert an entry into the ledger, with the next number: numbers order the entries of a table even if clocks are wrong.
--
-- ledger   the ledger
-- columns  the ledger's columns, the number last
-- values   a bind for each column except the number
insert into {ledger} ({columns})
select
    {values},
    coalesce(max(number), 0) + 1
from {ledger}

-- section: entered
-- Number of a run's entries in the ledger, for its release and its dimension tables; and number of releases of the same
-- source by another job, or to another table of the schema.
--
-- $run, $origin, $release, $job  values of this run's entry; $origin is the hash of the source's place
-- ledger                         the ledger
--
-- One row.
select
    count(case when run = $run and (origin = $origin or dimension_of is not null) then 1 end) as entries,
    count(case when origin = $origin and ("release" <> $release or job <> $job) then 1 end) as others
from {ledger}

-- section: forget
-- Delete the entries of a run from the ledger.
--
-- $run    the first 12 digits of the run's number
-- ledger  the ledger
delete from {ledger}
where substr(run, 1, 12) = $run

-- section: known
-- All entries of the ledger for a table's name. DuckDB and SQLite ignore the case of names.
--
-- $release  the table's name
-- ledger    the ledger of the table's schema
--
-- One row per entry, the last one first.
select
    run,
    origin,
    dimension_of,
    k,
    column_names
from {ledger}
where lower("release") = lower($release)
order by number desc

-- section: elsewhere
-- Number of releases of a source in the ledger of another schema. The ledger's columns may have any types.
--
-- $origin  the hash of the source's place
-- ledger   the ledger of that schema
--
-- One row.
select count(*) as releases
from {ledger}
where concat(origin, '') = $origin

-- section: ledgers
-- The ledgers of other schemas of a DuckDB file.
--
-- $database          the name of the attached file in the working store
-- $schema, $ledger   the schema of the release, and the common name of ledgers
--
-- One row per ledger: its schema, and true in readable if the ledger has the needed column.
select
    tables.schema_name as schema,
    exists (
        select 1
        from duckdb_columns() as found
        where found.table_oid = tables.table_oid
            and found.database_oid = tables.database_oid
            and found.column_name = 'origin'
    ) as readable
from duckdb_tables() as tables
where tables.database_name = $database
    and tables.table_name = $ledger
    and lower(tables.schema_name) <> lower($schema)
order by schema
