-- The groups of a recoding as regions, to be cut further.
--
-- paths     path_1, path_2, …, and what is carried
-- values    one search/mondrian/value_at per attribute: what a group has in common
-- recoding  the recoding
-- joins     one search/kaca/paths#joined per attribute
--
-- One row per row of the recoding. sum(frequency) stays as it is.
select
    cast(dense_rank() over (order by {values}) as bigint) as region,
    {paths},
    cast(frequency as bigint) as frequency
from {recoding} as recoding
{joins}
