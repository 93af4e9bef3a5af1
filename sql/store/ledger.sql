-- The ledger of a schema: the releases made in it, with time and settings.
--
-- ledger   the ledger's name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)

-- section: column
-- A column missing from a ledger of an older starcloak.
--
-- ledger  the ledger's name
-- column  store/column
alter table {ledger} add column {column}

-- section: entry
-- An entry of the ledger, with the next number: by it, entries of a table are in order whatever the clocks say.
--
-- ledger   the ledger
-- columns  its columns, the number last
-- values   a bind for each other column
insert into {ledger} ({columns})
select
    {values},
    coalesce(max(number), 0) + 1
from {ledger}

-- section: entered
-- Number of a run's entries in the ledger: of its release, and of the dimension tables beside it. And number of
-- releases of its source by another job, or to another table of the schema; entries of an older starcloak have only the
-- source's name.
--
-- $run, $source, $origin, $release, $job  values of this run; $origin identifies the source
-- ledger                                  the ledger
--
-- One row.
select
    count(case when run = $run and (origin = $origin or dimension_of is not null) then 1 end) as entries,
    count(case
        when (origin = $origin or (origin is null and source = $source))
            and ("release" <> $release or job <> $job) then 1
    end) as others
from {ledger}

-- section: forget
-- Take the entries of a run out of the ledger.
--
-- $run    how the run's number begins
-- ledger  the ledger
delete from {ledger}
where substr(run, 1, 12) = $run

-- section: known
-- All entries of the ledger for a table's name. DuckDB and SQLite ignore the case of names.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where lower("release") = lower($release)

-- section: elsewhere
-- Number of releases of a source in the ledger of another schema, whatever the types of its columns.
--
-- $source, $origin  the source
-- ledger            the ledger of that schema
--
-- One row.
select count(*) as releases
from {ledger}
where concat(origin, '') = $origin
    or (origin is null and concat(source, '') = $source)

-- section: ledgers
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
