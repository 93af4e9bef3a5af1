-- The class nearest to each seeker, exactly. Among equals (racing attributes, Definition 11) the seed chooses.
--
-- $seed    the seed
-- bounded  search/kaca/bounded of classes: those that are left, or all
--
-- One row per seeker.
select
    id,
    min(bound) as distance,
    arg_min(block, (bound, hash($seed, id, block), block)) as partner
from (
    {bounded}
)
where bound <= reach
    and block <> id
group by id
