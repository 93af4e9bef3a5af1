-- The rows of a CSV file. Every column is text: 01 stays 01. An empty quoted cell is an empty text, not missing.
--
-- path       the file
-- columns    its header, in order
-- delimiter  between cells
-- missing    the unquoted text that stands for a missing value
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
    allow_quoted_nulls = false,
    parallel = {parallel},
    hive_partitioning = false
)
