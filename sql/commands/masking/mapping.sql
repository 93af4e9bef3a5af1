-- The recoding of a release, for the custodian of its source.
--
-- values   the tuple, by the names of its columns
-- cells    its cells in the release
-- rows     the name for the number of its rows
-- tuples   releases/recodings/tuples
-- classes  releases/recodings/classes
--
-- One row per tuple, or part of one.
select
    {values},
    {cells},
    tuples.rows as {rows}
from {tuples} as tuples
join {classes} as classes
    on classes.class = tuples.class
order by all
