-- Several files, for a function that reads them as one table.
--
-- paths  theirs
[{paths}]
