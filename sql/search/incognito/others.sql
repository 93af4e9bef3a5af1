-- What the file of a cube has besides the cube: it would be lost where the cube is built again.
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
