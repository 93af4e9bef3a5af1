-- What the top of a hierarchy reads.
--
-- level    its last level
-- members  the hierarchy's members
--
-- One row.
select coalesce(max({level}), '*') as top
from {members}
