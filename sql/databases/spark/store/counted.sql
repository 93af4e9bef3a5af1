-- section: told
-- Classes and, beside each, what the database itself says of all of them: how many there are, the smallest size, and
-- the rows of all. One statement, so that whatever brings them elsewhere can lose, double or merge none of them
-- unseen. Both read what one shuffle has.
--
-- rows  the statement that yields the classes
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
