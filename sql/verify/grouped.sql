-- Classes, each with the number of rows of its group under each QID; a group has all classes with the same values of
-- the columns of the QID. The table's database counts them.
--
-- groups   one #size per QID, as group_1, group_2, …
-- classes  verify/sizes
--
-- One row per class.
select
    *,
    {groups}
from (
    {classes}
) as classes

-- section: size
-- The rows of a class's group by a QID.
--
-- values  the QID's columns of the classes
cast(sum(size) over (partition by {values}) as bigint)
