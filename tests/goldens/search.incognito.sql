-- search/incognito/kept_cube#fingerprint
select
    "part" as part,
    count(*) as rows,
    cast(coalesce(sum(hash(member, typeof(member), 1)), 0) as hugeint) as sum_1,
    cast(coalesce(sum(hash(member, typeof(member), 2)), 0) as hugeint) as sum_2
from "relation" as member

-- search/incognito/kept_cube#others
select
    (
        select count(*)
        from duckdb_tables()
        where database_name = $database
            and not regexp_full_match(table_name, 'cube_\d+|starcloak_cube_(sources|contents)')
    ) + (
        select count(*)
        from duckdb_views()
        where database_name = $database
            and not internal
    ) as others

-- search/incognito/kept_cube#read
select
    part,
    rows,
    sum_1,
    sum_2
from "kept"
order by part
