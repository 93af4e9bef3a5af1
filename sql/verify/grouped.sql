-- Classes and, beside each, the rows of the groups that it belongs to, counted where the table is.
--
-- groups   one verify/group_size per QID, as group_1, group_2, …
-- classes  verify/sizes
--
-- One row per class.
select
    *,
    {groups}
from (
    {classes}
) as classes
