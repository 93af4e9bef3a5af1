-- Seekers with blocks of classes, and how near a class of the block may be.
--
-- bound   search/kaca/bound
-- common  how far the closest common generalizations are from the leaves, at least
-- met     one search/kaca/met per word, as met_1, met_2, …
-- rest    how far the seeker is from the leaves by the attributes that the node does not tell apart
-- reach   what is farther than this is not the nearest
-- paired  search/kaca/coarsest or search/kaca/finer
--
-- One row per seeker and block.
select
    id,
    block,
    reach,
    {bound} as bound
from (
    select
        *,
        {common} as common
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            {reach} as reach,
            {rest} as rest,
            other.block,
            other.least_frequency,
            other.most_frequency,
            other.most_climbed,
            {met}
        from {paired}
    )
)
