-- A list of several files, for a function that reads them as one table.
--
-- paths  the paths of the files, such as `'east.parquet', 'west.parquet'`
[{paths}]
