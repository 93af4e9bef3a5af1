-- section: told
-- Classes and, beside each, what the database itself says of all of them: how many there are, the smallest size, and
-- the rows of all. One statement, so that whatever brings them elsewhere can lose, double or merge none of them
-- unseen. A common table expression would be computed once for each place that names it.
--
-- rows  the statement that yields the classes
-- size  their sizes
--
-- One row per class.
select
    *,
    count(*) over () as told_classes,
    min({size}) over () as told_smallest,
    cast(sum({size}) over () as signed) as told_rows
from (
    {rows}
) as classes
