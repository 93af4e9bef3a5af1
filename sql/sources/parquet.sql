-- The rows of Parquet files.
--
-- path  the file, or sources/files, such as `'hospital.parquet'`
--
-- One row per row of the files.
select *
from read_parquet({path}, hive_partitioning = false)

-- section: schema
-- The schema of a Parquet file: the declared types of each node, and the type read by DuckDB.
--
-- path  the file, such as `'hospital.parquet'`
--
-- One row per node of the schema tree, parents before their children.
select
    name,
    type as stored,
    coalesce(converted_type, '') as converted,
    coalesce(logical_type, '') as logical,
    coalesce(precision, 0) as precision,
    coalesce(duckdb_type, '') as read,
    coalesce(num_children, 0) as children
from parquet_schema({path})
