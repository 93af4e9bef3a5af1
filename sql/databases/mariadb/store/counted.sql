-- section: told
-- Classes and, beside each, the database's own totals: number of classes, smallest size, number of all rows. One
-- statement, so that no class is lost, doubled or merged unseen on the way to the working store. A common table
-- expression would be computed once per reference.
--
-- rows  the statement with the classes
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
