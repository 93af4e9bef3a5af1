-- release/blank
select count(*) as blank
from (
    select *
    from "release"
)
where "column" is null
    or ("column" <> '' and trim("column", ' ' || chr(9)) = '')

-- release/column
"column" varchar

-- release/copy#csv
copy (
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
) to 'release.csv' (
    format csv,
    header true,
    delimiter ',',
    quote '"',
    escape '"',
    force_quote ("columns"),
    nullstr '',
    use_tmp_file "aside"
)

-- release/copy#quoted
force_quote ("columns"),

-- release/copy#parquet
copy (
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
) to 'release.parquet' (
    format parquet,
    compression zstd,
    use_tmp_file "aside"
)

-- release/existing
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

-- release/existing#mark
select max(comment) as mark
from duckdb_tables()
where database_name = $database
    and lower(schema_name) = lower($schema)
    and lower(table_name) = lower($table)

-- release/existing.mariadb
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

-- release/existing.postgresql
select
    (
        select count(*)
        from pg_catalog.pg_namespace
        where nspname = $schema
    ) as schemas,
    count(*) filter (where relname = $table and relkind = 'r') as tables,
    count(*) filter (where relname = $table and relkind <> 'r') + (
        select count(*)
        from pg_catalog.pg_type
        where typname = $table
            and typrelid = 0
            and typnamespace = (
                select oid
                from pg_catalog.pg_namespace
                where nspname = $schema
            )
    ) as others,
    count(*) filter (where relname = $ledger and relkind = 'r') as ledgers,
    count(*) filter (where relname = $ledger and relkind <> 'r') as strange
from pg_catalog.pg_class
where relnamespace = (
    select oid
    from pg_catalog.pg_namespace
    where nspname = $schema
)

-- release/existing.sqlite
select
    $schema = 'main' as schemas,
    count(*) filter (where lower(name) = lower($table) and type = 'table') as tables,
    count(*) filter (where lower(name) = lower($table) and type <> 'table') as others,
    count(*) filter (where lower(name) = $ledger and type = 'table') as ledgers,
    count(*) filter (where lower(name) = $ledger and type <> 'table') as strange
from main.sqlite_master

-- release/long
select coalesce(bool_or(abs(extract(hour from "column")) >= 2562047), false)
from ("release")

-- release/model
with
"name" as (
    select
        cast(substr("column", 2) as varchar) as "column"
    from "seed"
)
select *
from "release"
where (
    select
        case
            when count(*) filter (where not (typeof("column") = varchar)) = 0
            then true
            else error('not the source that this model was made for, but of other types: nothing is released')
        end
    from "relation"
)

-- release/model#holds
(
    select recounted
    from (
        select
            case
                when coalesce(sum(size), 0) <> "released" or (select count(*) from "source") <> "rows"
                then error('not the source that this script was made for: nothing is released')
                else 'k = ' || cast(coalesce(min(size), 0) as varchar)
            end as recounted
        from (
            select
                "size"
            from "counted"
            group by "quasi_identifiers"
        )
    )
) is not null

-- release/model#same_seed
(
    select
        case
            when fingerprint = "made"
            then true
            else error('not the seeds that this model was made with: compile again, then dbt build')
        end
    from (
        select sha256(coalesce(string_agg(line, '' order by line), '')) as fingerprint
        from (
            select coalesce(strlen("column") || "column", '-') as line
            from (
                select *
                from "rows"
            )
        )
    )
)

-- release/model#same_types
(
    select
        case
            when count(*) filter (where not (typeof("column") = varchar)) = 0
            then true
            else error('not the source that this model was made for, but of other types: nothing is released')
        end
    from "relation"
)

-- release/model#typed
typeof("column") = varchar

-- release/model#seed
"name" as (
    select
        cast(substr("column", 2) as varchar) as "column"
    from "seed"
)

-- release/model#seed_cell
cast(substr("column", 2) as varchar) as "column"

-- release/model#stage
"name" as materialized (
    select *
    from "rows"
)

-- release/packed
create type varchar as enum (
    select distinct "column"
    from "table"
    where present
        and "column" is not null
    order by "column"
)

-- release/packed#counted
select (select count(distinct "column") from "table" where present)

-- release/packed#texts
(select count(distinct "column") from "table" where present)

-- release/packed#cell
try_cast("cell" as varchar)

-- release/packed#unpacked
select
    "cells"
from (
    select *
    from "rows"
) as packed

-- release/present
select
    "columns"
from "table"
where present

-- release/present#whole
select
    "columns"
from "relation"

-- release/projected
select "cells"
from "release" as released
order by hash(7, "columns")

-- release/recode
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

-- release/recode#counted
select "cells"
from (
    select
        "cells",
        hash(7, "columns") as "place",
        unnest(repeat([true], "size")) as "copy"
    from (
        select
            "columns",
            cast(sum(source."size") as bigint) as "size"
        from (
            select
                "tuples",
                frequency as "size"
            from "base"
        ) as source
        join "table"
            on "one" = "other"
            and "table".present
        where not exists (
            select 1
            from "outliers" as outlier
            where "one" = "other"
        )
        group by all
    ) as released
) as released
order by "place"

-- release/recode#suppressed
where not exists (
    select 1
    from "outliers" as outlier
    where "one" = "other"
)

-- release/recode#shuffled
hash(7, "columns")

-- release/recode#map
join "table"
    on "one" = "other"
    and "table".present

-- release/recode#match
"one" = "other"

-- release/recode#same
"one" is not distinct from "other"

-- release/recode.mariadb#shuffled
rand()

-- release/recode.mariadb#same
"one" <=> "other"

-- release/recode.mariadb#found
("one" = "other" or "one" is null and "other" is null)

-- release/recode.postgresql#shuffled
hash_record_extended(row("columns"), 7)

-- release/recode.postgresql#same
coalesce(cast("one" as text), '') = coalesce(cast("other" as text), '')
    and ("one" is null) = ("other" is null)

-- release/recode.spark
select `cells`
from (
    select
        `columns`
    from `source` as source
    join `table`
        on `one` = `other`
        and `table`.present
    where not exists (
        select 1
        from `outliers` as outlier
        where `one` = `other`
    )
) as released
distribute by hash(7, `columns`)
sort by hash(7, `columns`)

-- release/recode.sqlite#shuffled
random()

-- release/recode.sqlite#same
"one" is "other"

-- release/recode_locally
select "cells"
from (
    select
        "columns",
        row_number() over (
            partition by mapping.part
            order by (source."copy" * 48271 + mapping.salt) % 2147483647 * ((source."copy" * 48271 + mapping.salt) % 2147483647) % 2147483647, source."copy"
        ) between mapping.lower + 1 and coalesce(mapping.upper, "rows") as "chosen"
    from (
        select
            source.*,
            row_number() over (
                partition by "quasi_identifiers"
                order by "column" is null, "column"
            ) as "copy"
        from "source" as source
    ) as source
    join "table"
        on "one" = "other"
        and "table".present
    where not mapping.suppressed
) as released
where "chosen"
order by hash(7, "columns")

-- release/recode_locally#order
"column" is null, "column"

-- release/recode_locally#mapping
join "mapping" as mapping
    on "one" = "other"

-- release/recode_locally#turn
(source."copy" * 48271 + mapping.salt) % 2147483647 * ((source."copy" * 48271 + mapping.salt) % 2147483647) % 2147483647

-- release/recount
select
    case
        when coalesce(sum(size), 0) <> "released" or (select count(*) from "source") <> "rows"
        then error('not the source that this script was made for: nothing is released')
        else 'k = ' || cast(coalesce(min(size), 0) as varchar)
    end as recounted
from (
    select
        "size"
    from "counted"
    group by "quasi_identifiers"
)

-- release/recount#class_size
count(*) as size

-- release/recount#otherwise
coalesce(sum(size), 0) <> "released" or (select count(*) from "source") <> "rows"

-- release/recount#alike
exists (
    select 1
    from "release"
    group by "column"
    having min("text") <> max("text")
)

-- release/recount.mariadb
begin not atomic
    if (
        select
            coalesce(sum(size), 0) <> "released" or (select count(*) from "source") <> "rows"
        from (
            select
                "size"
            from "counted"
            group by "quasi_identifiers"
        ) as classes
    ) then
        drop temporary table starcloak_release;
        signal sqlstate '45000'
            set message_text = 'not the source that this script was made for: nothing is released';
    end if;
    insert into starcloak_recounted values (true);
end

-- release/recount.mariadb#recounted
create temporary table starcloak_recounted (
    holds boolean not null
)

-- release/recount.mariadb#guarded
select *
from (
    select *
    from "release"
) as recounted
where case
    when (select count(*) from starcloak_recounted) = "recounts" then 1
    else (select 1 union all select 2)
end = 1

-- release/recount.postgresql
select
    case
        when coalesce(sum(size), 0) <> "released" or (select count(*) from "source") <> "rows"
        then cast(
            left(
                'not the source that this script was made for: nothing is released',
                99 + cast(0 * count(*) as integer)
            ) as integer
        )
        else coalesce(min(size), 0)
    end as recounted
from (
    select
        "size"
    from "counted"
    group by "quasi_identifiers"
) as classes

-- release/recount.spark
select
    case
        when coalesce(sum(size), 0) <> `released` or (select count(*) from `source`) <> `rows`
        then raise_error('not the source that this script was made for: nothing is released')
        else cast(coalesce(min(size), 0) as string)
    end as recounted
from (
    select
        `size`
    from `counted`
    group by `quasi_identifiers`
) as classes

-- release/recount.spark#guarded
select *
from (
    select *
    from `release`
) as recounted
where (
    select *
    from `recount`
) >= ''

-- release/recount.spark#again
(
    select *
    from `recount`
) >= ''

-- release/recount.sqlite
insert or rollback into temp.starcloak_recounted (holds)
select
    not (coalesce(sum(size), 0) <> "released" or (select count(*) from "source") <> "rows")
from (
    select
        "size"
    from "counted"
    group by "quasi_identifiers"
) as classes

-- release/recount.sqlite#recounted
create temporary table starcloak_recounted (
    holds boolean not null,
    constraint "not the source that this script was made for: nothing is released" check (holds)
)

-- release/recount.sqlite#guarded
select *
from (
    select *
    from "release"
) as recounted
where case when (select count(*) from temp.starcloak_recounted) = "recounts" then 1 else abs(-9223372036854775808) end

-- release/rejoined
select
    "columns"
from "release" as released
join "source" as source
    on source."position" = released."position"

-- release/script#create
create temporary table "table" (
    "column" varchar
)

-- release/script#fill
insert into "table"
values
    ('53715', 0)

-- release/script#kept_rows
create temporary table "name" as
select *
from "rows"

-- release/script#publish
create table "table" as
select *
from "rows"

-- release/script#absent
select
    case
        when count(*) > 0
        then error('there is a file already where the release goes, or one of its name after tmp_: nothing is released')
        else true
    end as absent
from glob(['release.csv', "aside"])

-- release/script#attach
attach 'releases.duckdb' as "store"

-- release/script#comment
comment on table "table" is 'made by starcloak'

-- release/script.mariadb#forget
drop temporary table if exists "table"

-- release/script.spark#filled
create temporary view `table` as
select
    `cells`
from (
    values
    `rows`
) as given (`names`)

-- release/script.spark#kept_rows
cache table `name` as
select *
from `rows`

-- release/script.sqlite#forget
drop table if exists temp."table"

-- release/seeded
select
    '=' || cast("column" as varchar) as "column"
from (
    select *
    from "rows"
)
order by all

-- release/seeded#cell
'=' || cast("column" as varchar) as "column"

-- release/seeded#fingerprint
select sha256(coalesce(string_agg(line, '' order by line), '')) as fingerprint
from (
    select coalesce(strlen("column") || "column", '-') as line
    from (
        select *
        from "rows"
    )
)

-- release/seeded#text
coalesce(strlen("column") || "column", '-')

-- release/table
create or replace table "table" as
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
