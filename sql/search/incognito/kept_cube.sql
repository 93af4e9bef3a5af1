-- section: fingerprint
-- The fingerprint of a relation. Two relations have the same fingerprint if their columns (names and types) and their
-- rows are equal, in any order of rows. Equal rows alone are not enough: two sensitive attributes may distinguish the
-- same rows.
--
-- part      the number of the relation among all fingerprinted relations
-- relation  the relation
--
-- One row: the number of rows, and the sums of two hashes of every row. DuckDB's hash may change with its version; then
-- no fingerprint is equal, and the cube is built again.
select
    {part} as part,
    count(*) as rows,
    cast(coalesce(sum(hash(member, typeof(member), 1)), 0) as hugeint) as sum_1,
    cast(coalesce(sum(hash(member, typeof(member), 2)), 0) as hugeint) as sum_2
from {relation} as member

-- section: others
-- Number of tables and views in a cube's file that are not of the cube: they would be lost if the cube is built again.
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
-- The fingerprints stored in a cube's file.
--
-- kept  the relation of fingerprints
--
-- One row per relation, in order.
select
    part,
    rows,
    sum_1,
    sum_2
from {kept}
order by part
