-- section: csv
-- Write the release as CSV. Missing values are empty, empty texts are quoted.
--
-- release  release/recode
-- path     the file
-- aside    1 where it has another name until it is whole, 0 where nobody looks for it yet
copy (
    {release}
) to {path} (
    format csv,
    header true,
    delimiter ',',
    quote '"',
    escape '"',
    nullstr '',
    use_tmp_file {aside}
)

-- section: parquet
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
