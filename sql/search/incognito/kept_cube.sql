-- section: fingerprint
-- A relation's fingerprint: two relations of equal columns, by name and type, and equal rows, in any order, have the
-- same one. The rows alone are not enough: two sensitive attributes may distinguish the same rows.
--
-- part      a number for the relation among others
-- relation  the relation
--
-- One row: how many rows there are, and the sums of two hashes of each. DuckDB's hash may change with its version;
-- then nothing fits, and a cube is built again.
select
    {part} as part,
    count(*) as rows,
    cast(coalesce(sum(hash(member, typeof(member), 1)), 0) as hugeint) as sum_1,
    cast(coalesce(sum(hash(member, typeof(member), 2)), 0) as hugeint) as sum_2
from {relation} as member

-- section: others
-- Content of a cube's file besides the cube: it would be lost if the cube is built again.
--
-- $database  the file's name in the working store
--
-- One row.
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

-- section: read
-- The fingerprints kept with a cube.
--
-- kept  the relation
--
-- One row per relation, in order.
select
    part,
    rows,
    sum_1,
    sum_2
from {kept}
order by part
