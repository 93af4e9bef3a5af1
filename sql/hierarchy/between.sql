-- The members of a hierarchy with the levels alone that a release may have. A level 0 that was a higher one is that of
-- several values.
--
-- levels   the levels, from level_0 on
-- members  the hierarchy's members
--
-- One row per member.
select
    present,
    value,
    {levels}
from {members}
