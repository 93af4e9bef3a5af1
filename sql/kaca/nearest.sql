-- The class nearest to each seeker, exactly. Among equals (racing attributes, Definition 11) the seed chooses.
--
-- $k        the smallest allowed class
-- $seed     the seed
-- common    how far the closest common generalizations are from the leaves
-- distance  kaca/distance
-- farthest  what is farther than this is not it: the distance of a class that is near, or that of any two
-- paired    kaca/everyone, or kaca/found of the classes that are left
--
-- One row per seeker.
select
    id,
    min(distance) as distance,
    arg_min(partner, (distance, hash($seed, id, partner), partner)) as partner
from (
    select
        id,
        partner,
        {distance} as distance
    from (
        select
            seeker.id,
            seeker.frequency,
            seeker.climbed,
            other.id as partner,
            other.frequency as other_frequency,
            other.climbed as other_climbed,
            {farthest} as farthest,
            {common} as common
        from {paired}
    )
    where {distance} <= farthest
)
group by id
