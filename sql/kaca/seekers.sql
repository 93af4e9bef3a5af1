-- The classes of fewer than k rows, which look for the class nearest to them.
--
-- $k       the smallest allowed class
-- asking   one kaca/asking per attribute, by the path's name
-- heights  one kaca/height per attribute, as climbed_1, climbed_2, …
-- members  kaca/members
--
-- One row per small class.
select
    * replace ({asking}),
    {heights}
from {members}
where frequency < $k
