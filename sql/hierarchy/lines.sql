-- The lines of a declared hierarchy, as they come from a file or a tree.
--
-- levels  level_0, level_1, …
-- lines   what comes
--
-- One row per line.
select
    {levels}
from {lines}
