-- The two blocks of a node that look nearest to each seeker: they lead to a class that is near, if not nearest.
--
-- $k       the smallest allowed class
-- common   how far the closest common generalizations are from the leaves, at least
-- bound    kaca/bound
-- block    the node's column of the seekers
-- paired   kaca/coarsest or kaca/finer
--
-- Up to two rows per seeker. A block of which the seeker is the only class is none.
select
    id,
    unnest(arg_min(block, bound, 2)) as block
from (
    select
        id,
        block,
        {bound} as bound
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            other.block,
            other.least_frequency,
            other.most_climbed,
            {common} as common
        from {paired}
        where other.classes > 1 or other.block <> seeker.{block}
    )
)
group by id
