-- The classes of fewer than k rows, which look for the class nearest to them.
--
-- $k       the smallest allowed class
-- heights  one kaca/heights per attribute, as climbed_1, climbed_2, …
-- members  kaca/members
--
-- One row per small class.
select
    *,
    {heights}
from {members}
where frequency < $k
