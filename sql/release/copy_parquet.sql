-- Write the release as Parquet.
--
-- release  release/recode
-- path     the staged file
copy (
{release}
) to {path} (
    format parquet,
    compression zstd,
    use_tmp_file false
)
