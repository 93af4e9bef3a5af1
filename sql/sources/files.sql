-- Several files, for a function reading them as one table.
--
-- paths  the paths of the files, such as `'east.parquet', 'west.parquet'`
[{paths}]
