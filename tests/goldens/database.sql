-- database/charsets.mariadb
select
    charset(max("column"))
from (
    select *
    from "rows"
) as described
where false

-- database/charsets.mariadb#charset
charset(max("column"))

-- database/charsets.mariadb#converted
select count(*) as altered
from (
    select *
    from "rows"
) as described
where cast(convert(convert("column" using utf8mb4) using latin1) as binary) <> cast("column" as binary)

-- database/counted
select
    count(*) as told_classes,
    min("size") as told_smallest,
    cast(coalesce(sum("size"), 0) as bigint) as told_rows
from "classes"

-- database/counted#told
with classes as materialized (
    select *
    from "rows"
)
select
    *,
    (select count(*) from classes) as told_classes,
    (select min("size") from classes) as told_smallest,
    (select cast(sum("size") as bigint) from classes) as told_rows
from classes

-- database/counted.mariadb#told
select
    *,
    count(*) over () as told_classes,
    min("size") over () as told_smallest,
    cast(sum("size") over () as signed) as told_rows
from (
    select *
    from "rows"
) as classes

-- database/counted.spark#told
with classes as (
    select *
    from `rows`
)

select
    classes.*,
    told.told_classes,
    told.told_smallest,
    told.told_rows
from classes
cross join (
    select
        count(*) as told_classes,
        min(`size`) as told_smallest,
        cast(sum(`size`) as bigint) as told_rows
    from classes
) as told

-- database/ledger
create table "ledger" (
    "column" varchar
)

-- database/ledger#column
alter table "ledger" add column "column" varchar

-- database/ledger#entry
insert into "ledger" ("columns")
select
    "values",
    coalesce(max(number), 0) + 1
from "ledger"

-- database/ledger#entered
select
    count(case when run = $run and (origin = $origin or dimension_of is not null) then 1 end) as entries,
    count(case
        when (origin = $origin or (origin is null and source = $source))
            and ("release" <> $release or job <> $job) then 1
    end) as others
from "ledger"

-- database/ledger#forget
delete from "ledger"
where substr(run, 1, 12) = $run

-- database/ledger#known
select *
from "ledger"
where lower("release") = lower($release)

-- database/ledger#elsewhere
select count(*) as releases
from "ledger"
where concat(origin, '') = $origin
    or (origin is null and concat(source, '') = $source)

-- database/ledger#ledgers
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

-- database/ledger.mariadb#known
select *
from "ledger"
where "release" = $release
    or (@@lower_case_table_names <> 0 and lower("release") = lower($release))

-- database/ledger.mariadb#ledgers
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

-- database/ledger.postgresql#known
select *
from "ledger"
where "release" = $release

-- database/ledger.postgresql#ledgers
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

-- database/ledger.spark
create table `ledger` (
    `column` varchar
)
using parquet
partitioned by (run)

-- database/ledger.spark#column
alter table `ledger` add columns (`column` varchar)

-- database/ledger.spark#runs
select distinct run
from `ledger`
where substr(run, 1, 12) = $run

-- database/ledger.spark#forget_run
alter table `ledger` drop if exists partition (run = `run`)

-- database/no_rows
select *
from (
    select *
    from "rows"
) as described
limit 0

-- database/received
select
    cast("column" as varchar)
from "incoming"

-- database/received#typed
cast("column" as varchar)

-- database/rights.postgresql
select
    min(cast(relation.relacl as text)) as of_table,
    string_agg(attribute.attname || ': ' || cast(attribute.attacl as text), ', ' order by attribute.attname)
        as of_columns,
    bool_or(relation.relrowsecurity) as by_row
from pg_catalog.pg_class as relation
left join pg_catalog.pg_attribute as attribute
    on attribute.attrelid = relation.oid
    and attribute.attacl is not null
where relation.relname = $table
    and relation.relnamespace = (
        select oid
        from pg_catalog.pg_namespace
        where nspname = $schema
    )

-- database/rights.postgresql#plain
select
    not row_security_active(relation.oid)
    and not exists (
        select
        from pg_catalog.pg_inherits
        where inhparent = relation.oid
    ) as plain
from pg_catalog.pg_class as relation
where relation.relname = $table
    and relation.relnamespace = (
        select oid
        from pg_catalog.pg_namespace
        where nspname = $schema
    )

-- database/session.mariadb#superuser
select count(*) as superuser
from information_schema.user_privileges
where replace(grantee, '''', '') = current_user()
    and privilege_type = 'SUPER'

-- database/session.mariadb#current_schema
select database() as "schema"

-- database/session.mariadb#lock
select get_lock($key, 0) as held

-- database/session.postgresql#superuser
select coalesce(bool_or(rolsuper), false) as superuser
from pg_catalog.pg_roles
where rolname = current_user

-- database/session.postgresql#current_schema
select current_schema() as schema

-- database/session.postgresql#lock
select pg_catalog.pg_try_advisory_lock(cast($key as bigint)) as held

-- database/session.postgresql#hold
lock table "table" in share row exclusive mode

-- database/session.postgresql#replaced
select count(*) as replaced
from pg_catalog.pg_locks as held
left join pg_catalog.pg_class as seen
    on seen.oid = held.relation
where held.pid = pg_backend_pid()
    and held.locktype = 'relation'
    and held.database = (
        select oid
        from pg_catalog.pg_database
        where datname = current_database()
    )
    and coalesce(seen.relfilenode, 1) <> 0
    and pg_relation_filenode(held.relation) is distinct from seen.relfilenode

-- database/session.spark#current_schema
select
    current_catalog() as catalog,
    current_schema() as schema
from (values (1)) as one (number)

-- database/shown.spark
describe table extended `view`

-- database/shown.spark#schemas
show schemas

-- database/shown.spark#tables
show tables in `schema`

-- database/shown.spark#views
show views in `schema`

-- database/shown.spark#show
create view `view` as
select *
from `table`

-- database/shown.spark#show_another
alter view `view` as
select *
from `table`

-- database/shown.spark#note
alter table `table` set tblproperties ('starcloak.published' = 'true')

-- database/shown.spark#noted
show tblproperties `table`

-- database/swap#renamed
"table" to "name"

-- database/swap.mariadb
rename table
    "table" to "name"

-- database/table#create
create table "table" (
    "column" varchar
)

-- database/table#drop
drop table "table"

-- database/table#empty
delete from "table"

-- database/table#insert
insert into "table"
select "cells"
from (
    select
        "columns"
    from "source" as source
    join "table"
        on "one" = "other"
        and "table".present
    where not exists (
        select 1
        from "outliers" as outlier
        where "one" = "other"
    )
) as released
order by hash(7, "columns")

-- database/table#rename
alter table "staged" rename to "name"

-- database/table#keep
create table "table" as
select *
from "rows"

-- database/table.mariadb#create
create temporary table "table" (
    "column" varchar
)

-- database/table.mariadb#drop
drop table if exists "table"

-- database/table.mariadb#leftovers
select table_name as "table"
from information_schema.tables
where table_schema = $schema
    and left(table_name, char_length($prefix)) = $prefix
order by table_name

-- database/table.mariadb#keep
create temporary table "table" as
select *
from "rows"

-- database/table.postgresql#create
create unlogged table "table" (
    "column" varchar
)

-- database/table.postgresql#keep
create unlogged table "table" as
select *
from "rows"

-- database/types.postgresql
select
    oid,
    typname,
    cast(typtype as text) as kind
from pg_catalog.pg_type
where oid = any($oids)

-- database/value_types.sqlite
select
    min(case when "column" is not null then typeof("column") end)
from (
    select *
    from "rows"
) as described

-- database/value_types.sqlite#first_type
min(case when "column" is not null then typeof("column") end)

-- database/value_types.sqlite#last_type
max(case when "column" is not null then typeof("column") end)
