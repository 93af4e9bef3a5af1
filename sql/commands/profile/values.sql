-- The values of a column, for a file of its hierarchy.
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
-- The rows of some classes.
--
-- classes  the classes
--
-- One row.
select cast(coalesce(sum(size), 0) as bigint) as rows
from {classes}
