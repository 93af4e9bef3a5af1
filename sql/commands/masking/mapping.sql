-- The recoding of a release as a table: raw quasi-identifiers beside released cells. Only the custodian of the source
-- may see it.
--
-- values   the tuple, by the names of its columns
-- cells    its cells in the release
-- rows     the name for the number of its rows
-- tuples   releases/recodings/tuples
-- classes  releases/recodings/classes
--
-- One row per tuple, or several for a tuple with rows in several classes.
select
    {values},
    {cells},
    tuples.rows as {rows}
from {tuples} as tuples
join {classes} as classes
    on classes.class = tuples.class
order by all
