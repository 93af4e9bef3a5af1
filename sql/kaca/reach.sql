-- The seekers, each with the distance of a class that is near: the nearest is no farther.
--
-- $k        the smallest allowed class
-- common    how far the closest common generalizations are from the leaves
-- distance  kaca/distance
-- left      kaca/beam of the finest node
-- seekers   the seekers
-- members   kaca/members
-- block     the finest node's column of the members
--
-- One row per seeker.
select *
from {seekers}
join (
    select
        id,
        min({distance}) as reach
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            other.frequency as other_frequency,
            other.climbed as other_climbed,
            {common} as common
        from {left} as remaining
        join {seekers} as seeker using (id)
        join {members} as other
            on other.{block} = remaining.block
            and other.id <> remaining.id
    )
    group by id
) using (id)
