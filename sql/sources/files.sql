-- Several files, for a function reading them as one table.
--
-- paths  theirs
[{paths}]
