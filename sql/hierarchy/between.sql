-- The members of a hierarchy with only the levels allowed in a release. If level 0 was a higher one, it has several
-- values.
--
-- levels   the levels, from level_0 on
-- members  the hierarchy's members
--
-- One row per member.
select
    present,
    value,
    {levels}
from {members}

-- section: missing
-- The top of a column that keeps its type: its suppressed cells are missing.
cast(null as varchar)
