-- The tuples of the base frequency set, all in one region.
--
-- paths  path_1, path_2, …, and what is carried
-- star   the star
-- joins  one search/kaca/paths#joined per attribute
--
-- One row per row of the star: a part of a tuple's rows, and the region it is in. sum(frequency) is that of the star.
select
    cast(1 as bigint) as region,
    {paths},
    cast(frequency as bigint) as frequency
from {star}
{joins}
