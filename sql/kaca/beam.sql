-- The two blocks of a node that look nearest to each seeker: they lead to a class that is near, if not nearest.
--
-- $k       the smallest allowed class
-- above    how far the closest common generalizations are from the leaves, at least, by the node above
-- rise     how much farther they are by this node
-- bound    kaca/bound
-- block    the node's column of the seekers
-- paired   kaca/coarsest or kaca/finer
--
-- Up to two rows per seeker. A block of which the seeker is the only class is none.
select
    id,
    unnest(arg_min(struct_pack(block, common), bound, 2), recursive := true)
from (
    select
        id,
        block,
        common,
        {bound} as bound
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            other.block,
            other.least_frequency,
            other.most_climbed,
            {above} + {rise} as common
        from {paired}
        where other.classes > 1 or other.block <> seeker.{block}
    )
)
group by id
