-- source/binary
decode(encode("column"))

-- source/binary.mariadb
convert("column" using utf8mb4) collate utf8mb4_nopad_bin

-- source/binary.postgresql
cast("column" as text) collate "C"

-- source/binary.sqlite
"column" collate binary

-- source/collation
select
    coalesce(max("column"), 'A') = 'a'
    or coalesce(max("column"), chr(233)) = 'e'
    or coalesce(max("column"), chr(233)) = 'e' || chr(769) as merges
from (
    select *
    from "origin"
)
where false

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
    nullstr = '',
    allow_quoted_nulls = false,
    parallel = 'true',
    hive_partitioning = false
)

-- source/describe
describe
select *
from "origin"

-- source/named
(
    select *
    from "rows"
) as query

-- source/nested
(
    select *
    from "rows"
)

-- source/parquet
select *
from read_parquet('hospital.parquet', hive_partitioning = false)

-- source/parquet_schema
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

-- source/source
select
    "columns"
from (
    select *
    from "origin"
) as origin

-- source/text
cast("column" as varchar)

-- source/text.mariadb
hex("column")

-- source/unusable
select count(*) as unusable
from "source"
where isnan("column")
    or isinf("column")
    or ("column" = 0 and signbit("column"))

-- source/unusable.mariadb
select count(*) as unusable
from "source" as source
where cast("column" as char) = '-0'

-- source/unusable.postgresql
select count(*) as unusable
from "source" as source
where "column" in ('NaN', 'Infinity', '-Infinity')
    or cast("column" as text) = '-0'

-- source/unusable.sqlite
select count(*) as unusable
from "source" as source
where "column" in (9e999, -9e999)
    or ("column" = 0 and starcloak_real("column") = '-0x0.0p+0')
