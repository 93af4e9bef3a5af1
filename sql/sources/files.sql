-- Several files, for a function reading them as one table.
--
-- paths  theirs, such as `'east.parquet', 'west.parquet'`
[{paths}]
