-- The different values of a column with their numbers of rows, for writing a hierarchy as a file.
--
-- text  its values as texts
-- rows  the table
--
-- One row per value, the most frequent first; the missing one among them.
select
    {text} as text,
    count(*) as rows
from {rows}
group by all
order by
    rows desc,
    text

-- section: rows
-- Total number of rows of some equivalence classes.
--
-- classes  the classes
--
-- One row.
select cast(coalesce(sum(size), 0) as bigint) as rows
from {classes}
