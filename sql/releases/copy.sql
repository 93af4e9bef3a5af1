-- section: csv
-- Write the release as CSV. Missing values are empty, empty texts are quoted.
--
-- release    star/recoding/recode
-- path       the file, such as `'release.csv'`
-- delimiter  between two cells, such as `','`
-- aside      1 for another name until it is complete, 0 if nobody looks for it yet
-- quoted     releases/copy#quoted, or nothing
copy (
    {release}
) to {path} (
    format csv,
    header true,
    delimiter {delimiter},
    quote '"',
    escape '"',
    {quoted}
    nullstr '',
    use_tmp_file {aside}
)

-- section: quoted
-- Columns with quoted cells, including the header's: otherwise a reader would guess another delimiter.
--
-- columns  the names of these columns
force_quote ({columns}),

-- section: parquet
-- Write the release as Parquet, or a table that is kept with its recoding.
--
-- release  star/recoding/recode, or the rows of the table
-- path     the file, such as `'release.parquet'`
-- aside    1 for another name until it is complete, 0 if nobody looks for it yet
copy (
    {release}
) to {path} (
    format parquet,
    compression zstd,
    use_tmp_file {aside}
)
