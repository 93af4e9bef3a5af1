-- Write the release as Parquet.
--
-- release  release/recode
-- path     the file
-- aside    1 where it has another name until it is whole, 0 where nobody looks for it yet
copy (
    {release}
) to {path} (
    format parquet,
    compression zstd,
    use_tmp_file {aside}
)
