-- The rows of CSV files. Every column is text: 01 stays 01. An empty quoted cell is an empty text, not missing.
--
-- path       the file, or sources/files, such as `'hospital.csv'`
-- columns    the names in the header, in order, such as `'zip': 'VARCHAR'`
-- delimiter  the character between cells, such as `','`
-- quote      the character around cells, doubled inside of a cell, such as `'"'`
-- missing    the unquoted texts meaning a missing value, such as `''`
-- encoding   the encoding of the files, such as `'utf-8'`
-- parallel   true if several threads may read one file, such as `true`
--
-- One row per record.
select *
from read_csv(
    {path},
    header = true,
    auto_detect = false,
    columns = {{columns}},
    delim = {delimiter},
    quote = {quote},
    escape = {quote},
    nullstr = [{missing}],
    encoding = {encoding},
    allow_quoted_nulls = false,
    parallel = {parallel},
    hive_partitioning = false
)
