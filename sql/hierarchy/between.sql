-- The members of a hierarchy, reduced to the levels permitted in a release. If the lowest of these is above the leaves,
-- several members have the same level_0.
--
-- levels   the levels, from level_0 on
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row per member.
select
    present,
    value,
    {levels}
from {members}

-- section: unchanged
-- Number of values of the source with the same text at the lowest level permitted in a release.
--
-- lowest   the column of this level
-- members  the members of the hierarchy: each leaf with its texts at every level
--
-- One row.
select count(*) as values
from {members}
where present
    and {lowest} = level_0

-- section: missing
-- A missing label, for the top level of a column that keeps its type; suppressed cells of the column are missing.
cast(null as varchar)
