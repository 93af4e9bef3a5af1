-- The blocks of a node that may hold a seeker's nearest class.
--
-- $k      the smallest allowed class
-- above   how far the closest common generalizations are from the leaves, at least, by the node above
-- rise    how much farther they are by this node
-- bound   kaca/bound
-- paired  kaca/coarsest or kaca/finer
--
-- One row per seeker and block.
select
    id,
    block,
    common
from (
    select
        seeker.id,
        seeker.frequency,
        seeker.climbed,
        seeker.reach,
        other.block,
        other.least_frequency,
        other.most_climbed,
        {above} + {rise} as common
    from {paired}
)
where {bound} <= reach
