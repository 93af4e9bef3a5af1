-- The rows of CSV files. Every column is text: 01 stays 01. An empty quoted cell is an empty text, not missing.
--
-- path       the file, or sources/files
-- columns    its header, in order
-- delimiter  between cells
-- quote      around cells; in them it stands twice
-- missing    the unquoted texts meaning a missing value
-- encoding   of the files
-- parallel   whether several threads may read one
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
