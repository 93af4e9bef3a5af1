-- The rows of a Parquet file.
--
-- path  the file
--
-- One row per row of the file.
select *
from read_parquet({path}, hive_partitioning = false)
