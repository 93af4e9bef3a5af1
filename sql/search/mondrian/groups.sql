-- The groups of a recoding as regions, to be cut further.
--
-- paths     path_1, path_2, …, and what is carried
-- values    one #value_at per attribute: what a group has in common
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

-- section: value_at
-- The level of a cell and its value there.
--
-- level   the cell's level
-- path    the path of its leaf
-- shifts  how many bits of a path lie below each level
{level}, {path} >> [{shifts}][{level} + 1]
