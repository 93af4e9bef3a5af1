-- The settled parts as a recoding: every cell goes to the closest value that covers its attribute's leaves in the
-- region, or to the range of its numbers there.
--
-- codes    code_1, code_2, …, and what is carried
-- levels   one search/mondrian/common per attribute, as level_1, level_2, …
-- names    level_1, level_2, …
-- ranges   one search/mondrian/range per numeric attribute, each after a comma
-- settled  search/mondrian/settled
-- regions  search/mondrian/regions
-- joins    one search/mondrian/leaf per attribute, two more per numeric one
--
-- One row per part.
select
    {codes},
    {names}{ranges},
    part.frequency,
    false as suppressed
from {settled} as part
join (
    select
        *,
        {levels}
    from {regions}
) as region using (region)
{joins}
