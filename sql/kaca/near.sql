-- The blocks of a node that may hold a seeker's nearest class.
--
-- $k      the smallest allowed class
-- common  how far the closest common generalizations are from the leaves, at least
-- bound   kaca/bound
-- paired  kaca/coarsest or kaca/finer
--
-- One row per seeker and block.
select
    id,
    block
from (
    select
        seeker.id,
        seeker.frequency,
        seeker.climbed,
        seeker.reach,
        other.block,
        other.least_frequency,
        other.most_climbed,
        {common} as common
    from {paired}
)
where {bound} <= reach
