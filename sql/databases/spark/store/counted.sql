-- section: told
-- Classes and, beside each, the database's own totals: number of classes, smallest size, number of all rows. One
-- statement, so that no class is lost, doubled or merged unseen on the way to the working store. Both read the result
-- of one shuffle.
--
-- rows  the statement with the classes
-- size  their sizes
--
-- One row per class.
with classes as (
    {rows}
)

select
    classes.*,
    told.told_classes,
    told.told_smallest,
    told.told_rows
from classes
cross join (
    select
        count(*) as told_classes,
        min({size}) as told_smallest,
        cast(sum({size}) as bigint) as told_rows
    from classes
) as told
