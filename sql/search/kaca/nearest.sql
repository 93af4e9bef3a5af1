-- The class nearest to each seeker (small class). Among equal distances (racing attributes, Definition 11) the seed
-- chooses. The distance is missing for classes without a common generalization.
--
-- $seed      the seed
-- distances  search/kaca/distances of all classes
--
-- One row per seeker with a common generalization with any other class.
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
