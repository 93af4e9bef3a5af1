-- The settled parts as a recoding: every cell goes to the closest value that covers its attribute's leaves in the
-- region.
--
-- codes    code_1, code_2, …
-- levels   level_1, level_2, …
-- settled  mondrian/settled
-- joins    one mondrian/leaf per attribute
--
-- One row per part.
select
    {codes},
    {levels},
    part.frequency,
    false as suppressed
from {settled} as part
{joins}
