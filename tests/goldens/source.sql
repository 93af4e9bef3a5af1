-- source/alike
select count(*) as alike
from (
    select 1 as one
    from "source" as source
    group by "cell"
    having count(distinct "exact") > 1
) as found

-- source/collation
select
    coalesce(max("column"), 'A') = 'a'
    or coalesce(max("column"), chr(233)) = 'e'
    or coalesce(max("column"), chr(233)) = 'e' || chr(769)
from (
    select *
    from "origin"
)
where false

-- source/collation#merges
coalesce(max("column"), 'A') = 'a'
or coalesce(max("column"), chr(233)) = 'e'
or coalesce(max("column"), chr(233)) = 'e' || chr(769)

-- source/csv
select *
from read_csv(
    'hospital.csv',
    header = true,
    auto_detect = false,
    columns = {'zip': 'VARCHAR'},
    delim = ',',
    quote = '"',
    escape = '"',
    nullstr = [''],
    encoding = 'utf-8',
    allow_quoted_nulls = false,
    parallel = 'true',
    hive_partitioning = false
)

-- source/describe
describe
select *
from "origin"

-- source/files
['east.parquet', 'west.parquet']

-- source/json
select *
from read_ndjson('hospital.jsonl', columns = {'zip': 'VARCHAR'}, hive_partitioning = false)

-- source/json#objects
select json
from read_ndjson_objects('hospital.jsonl', hive_partitioning = false)

-- source/json#others
select count(*)
from ("objects") as objects
where json_type(json) <> 'OBJECT'

-- source/json#kinds
with alike as (
    select distinct json_keys(json) as names, json_structure(json) as structure
    from ("objects") as objects
),
members as (
    select names, unnest(names) as name, unnest(range(len(names))) as place, structure
    from alike
)
select
    name,
    list(
        distinct case
            when list_position(names, name) <= place then 'twice'
            else coalesce(structure ->> ('/' || replace(replace(name, '~', '~0'), '/', '~1')), 'NULL')
        end
    ) as kinds
from members
group by name
order by max(place), name

-- source/json#inexact
with tokens as (
    select unnest(regexp_extract_all(json, '"(?:[^"\\]|\\.)*"(?:\s*:\s*-?[0-9][-+.0-9eE]*)?')) as token
    from ("objects") as objects
    where regexp_matches(json, repeat('[.0-9]', 16) || '|[0-9][eE]')
),
numbers as (
    select
        json_extract_string(regexp_extract(token, '^"(?:[^"\\]|\\.)*"'), '$') as name,
        regexp_extract(token, '[-+.0-9eE]+$') as number
    from tokens
    where regexp_matches(token, '^"(?:[^"\\]|\\.)*"\s*:')
)
select
    name,
    bool_or(try_cast(number as bigint) is null) as no_integer,
    bool_or(written <> read) as no_double
from numbers
group by name

-- source/json#digits
trim(replace(regexp_replace("number", '^-|[eE].*$', '', 'g'), '.', ''), '0')

-- source/json#double
cast(try_cast("number" as double) as varchar)

-- source/parquet
select *
from read_parquet('hospital.parquet', hive_partitioning = false)

-- source/parquet#schema
select
    name,
    type as stored,
    coalesce(converted_type, '') as converted,
    coalesce(logical_type, '') as logical,
    coalesce(precision, 0) as precision,
    coalesce(duckdb_type, '') as read,
    coalesce(num_children, 0) as children
from parquet_schema('hospital.parquet')

-- source/relation
select *
from "relation"

-- source/relation#named
(
    select *
    from "rows"
) as query

-- source/relation#nested
(
    select *
    from "rows"
)

-- source/source
select
    "columns"
from (
    select *
    from "origin"
) as origin

-- source/text
cast("column" as varchar)

-- source/text#binary
decode(encode("column"))

-- source/text.mariadb
hex("column")

-- source/text.mariadb#binary
convert("column" using utf8mb4) collate utf8mb4_nopad_bin

-- source/text.mariadb#whole
cast("column" as unsigned)

-- source/text.postgresql#binary
cast("column" as text) collate "C"

-- source/text.spark
cast(`column` as string)

-- source/text.spark#binary
cast(cast(`column` as binary) as string)

-- source/text.sqlite#binary
"column" collate binary

-- source/unusable
select
    count(*) filter (where isnan("column")) as nan,
    count(*) filter (where isinf("column")) as infinite,
    count(*) filter (where "column" = 0 and signbit("column")) as negative_zero
from "source"

-- source/unusable.mariadb
select
    0 as nan,
    0 as infinite,
    count(case when cast("column" as char) = '-0' then 1 end) as negative_zero
from "source" as source

-- source/unusable.postgresql
select
    count(*) filter (where "column" = 'NaN') as nan,
    count(*) filter (where "column" in ('Infinity', '-Infinity')) as infinite,
    count(*) filter (where cast("column" as text) = '-0') as negative_zero
from "source" as source

-- source/unusable.spark
select
    count(case when isnan(`column`) then 1 end) as nan,
    count(case when cast(`column` as string) in ('Infinity', '-Infinity') then 1 end) as infinite,
    count(case when cast(`column` as string) = '-0.0' then 1 end) as negative_zero
from `source` as source

-- source/unusable.sqlite
select
    0 as nan,
    count(*) filter (where "column" in (9e999, -9e999)) as infinite,
    count(*) filter (where "column" = 0 and starcloak_real("column") = '-0x0.0p+0') as negative_zero
from "source" as source
