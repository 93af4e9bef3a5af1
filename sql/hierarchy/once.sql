-- The lines of a declared hierarchy, each once.
--
-- levels    level_0, level_1, …
-- declared  the lines as they were given
--
-- One row per line that differs from all others.
select distinct
    {levels}
from {declared}
