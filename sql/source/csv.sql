-- The rows of a CSV file. Every column is text: 01 stays 01. An empty quoted cell is an empty text, not missing.
--
-- path       the file
-- columns    its header, in order
-- delimiter  between cells
-- missing    the unquoted text that stands for a missing value
-- encoding   of the file
-- parallel   whether several threads may read it
--
-- One row per record.
select *
from read_csv(
    {path},
    header = true,
    auto_detect = false,
    columns = {{columns}},
    delim = {delimiter},
    quote = '"',
    escape = '"',
    nullstr = {missing},
    encoding = {encoding},
    allow_quoted_nulls = false,
    parallel = {parallel},
    hive_partitioning = false
)
