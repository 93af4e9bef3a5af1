-- The ledger of a schema: what was released into it, when, and how.
--
-- ledger   its name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)

-- section: column
-- A column that a ledger of an older starcloak lacks.
--
-- ledger  its name
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
-- How many entries of a run the ledger has: of its release, and of the dimension tables that go with it. And how often
-- its source was released by another job, or to another table of the schema; entries of an older starcloak know it by
-- its name alone.
--
-- $run, $source, $origin, $release, $job  this time; $origin tells the source from others
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
-- All that the ledger has of a table's name. DuckDB and SQLite know names whatever their case.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where lower("release") = lower($release)

-- section: known, dialect: mariadb
-- All that the ledger has of a table's name. Some servers know names whatever their case.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where "release" = $release
    or (@@lower_case_table_names <> 0 and lower("release") = lower($release))

-- section: known, dialect: postgresql
-- All that the ledger has of a table's name.
--
-- $release  the name
-- ledger    the ledger of its schema
--
-- One row per entry.
select *
from {ledger}
where "release" = $release

-- section: elsewhere
-- How often a source was released, as the ledger of another schema tells, whatever types its columns have.
--
-- $source, $origin  the source
-- ledger            that ledger
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

-- section: ledgers, dialect: mariadb
-- The ledgers of other schemas, as far as the user knows of them.
--
-- $schema, $ledger  this schema, and the name of a ledger
--
-- One row per ledger, with whether it can be read.
select
    "columns".table_schema as "schema",
    count(case when column_name in ('origin', 'source') and privileges like '%select%' then 1 end) = 2 as readable
from information_schema."columns"
join information_schema."tables"
    on "tables".table_schema = "columns".table_schema
    and "tables".table_name = "columns".table_name
    and "tables".table_type = 'BASE TABLE'
where "columns".table_name = $ledger
    and "tables".table_name = $ledger
    and "columns".table_schema <> $schema
group by "columns".table_schema
order by "columns".table_schema

-- section: ledgers, dialect: postgresql
-- The ledgers of other schemas. One with policies is not read: they could run whatever its owner wrote.
--
-- $schema, $ledger  this schema, and the name of a ledger
--
-- One row per ledger, with whether it can be read.
select
    namespace.nspname as schema,
    not relation.relrowsecurity
    and has_schema_privilege(namespace.oid, 'usage')
    and has_table_privilege(relation.oid, 'select')
    and 2 = (
        select count(*)
        from pg_catalog.pg_attribute
        where attrelid = relation.oid
            and attname in ('origin', 'source')
            and not attisdropped
    ) as readable
from pg_catalog.pg_class as relation
join pg_catalog.pg_namespace as namespace
    on namespace.oid = relation.relnamespace
where relation.relname = $ledger
    and relation.relkind = 'r'
    and relation.relpersistence <> 't'
    and namespace.nspname <> $schema
order by schema

-- dialect: spark
-- The ledger of a schema: what was released into it, when, and how. Of its files none can be changed, so that a run's
-- entries are a partition, which is added and dropped as one.
--
-- ledger   its name
-- columns  one store/column per column
create table {ledger} (
    {columns}
)
using parquet
partitioned by (run)

-- section: column, dialect: spark
-- A column that a ledger of an older starcloak lacks.
--
-- ledger  its name
-- column  store/column
alter table {ledger} add columns ({column})

-- section: runs, dialect: spark
-- The run with entries whose number begins so.
--
-- $run    how it begins
-- ledger  the ledger
--
-- One row at most.
select distinct run
from {ledger}
where substr(run, 1, 12) = $run

-- section: forget_run, dialect: spark
-- Take the entries of a run out of the ledger.
--
-- run     the run
-- ledger  the ledger
alter table {ledger} drop if exists partition (run = {run})
