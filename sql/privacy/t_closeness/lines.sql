-- What the values of a sensitive attribute read at every level of a hierarchy.
--
-- levels   level_0, level_1, …
-- members  the members of the hierarchy
--
-- One row per value that the table has.
select
    cast(value as varchar) as text,
    {levels}
from {members}
where present
