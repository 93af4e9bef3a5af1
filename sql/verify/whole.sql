-- What came home of the classes of a table.
--
-- torn     one verify/torn per QID
-- classes  the classes
--
-- One row: the classes, their rows, the smallest size, and the groups that are not those of the database.
select
    count(*) as classes,
    cast(coalesce(sum(size), 0) as bigint) as rows,
    min(size) as smallest,
    {torn} as torn
from {classes}
