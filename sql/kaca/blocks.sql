-- The blocks of one node of the rollup index.
--
-- block    the node's column of the members
-- parent   that of the next coarser node
-- paths    one kaca/any per attribute that the node tells apart
-- members  kaca/members
--
-- One row per block: what bounds the distance of a seeker to any class in it.
select
    {block} as block,
    any_value({parent}) as parent,
    {paths},
    count(*) as classes,
    min(frequency) as least_frequency,
    max(climbed) as most_climbed
from {members}
group by {block}
