-- The rows of a Parquet file.
--
-- path  the file
read_parquet({path})
