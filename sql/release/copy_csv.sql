-- Write the release as CSV. Missing values are empty, empty texts are quoted.
--
-- release  release/recode
-- path     the staged file
copy (
{release}
) to {path} (
    format csv,
    header true,
    delimiter ',',
    quote '"',
    escape '"',
    nullstr '',
    use_tmp_file false
)
