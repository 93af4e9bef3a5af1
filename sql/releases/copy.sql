-- section: csv
-- Write the release to a CSV file. A missing value is an empty cell, an empty text is a pair of quotes.
--
-- release    star/recoding/recode
-- path       the file, such as `'release.csv'`
-- delimiter  the character between two cells, such as `','`
-- aside      1 to write under another name until the file is complete, else 0
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
-- Option to quote all cells of some columns, because their names have characters that readers may take for a delimiter.
--
-- columns  the names of these columns
force_quote ({columns}),

-- section: parquet
-- Write the release, or a table saved with the release's recoding, to a Parquet file.
--
-- release  star/recoding/recode, or the rows of the table
-- path     the file, such as `'release.parquet'`
-- aside    1 to write under another name until the file is complete, else 0
copy (
    {release}
) to {path} (
    format parquet,
    compression zstd,
    use_tmp_file {aside}
)
