-- The class nearest to each seeker, exactly. Among equals (racing attributes, Definition 11) the seed chooses.
--
-- $seed      the seed
-- distances  search/kaca/distances of all classes
--
-- One row per seeker.
select
    id,
    min(distance) as distance,
    arg_min(partner, (distance, hash($seed, id, partner), partner)) as partner
from (
    {distances}
)
where partner <> id
group by id
