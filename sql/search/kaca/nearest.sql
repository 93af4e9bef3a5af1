-- The class nearest to each seeker, exactly. Among equals (racing attributes, Definition 11) the seed chooses. Classes
-- that meet at no level have no distance.
--
-- $seed      the seed
-- distances  search/kaca/distances of all classes
--
-- One row per seeker that meets another class.
select
    id,
    min(distance) as distance,
    arg_min(partner, (distance, hash($seed, id, partner), partner)) as partner
from (
    {distances}
)
where partner <> id
    and distance is not null
group by id
