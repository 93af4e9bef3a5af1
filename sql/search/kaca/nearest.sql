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
where bound < reach
    and block <> id
group by id

-- section: batch
-- Some of the small classes: as many at a time as leave memory for what they are compared with.
--
-- $batch      which of the batches
-- $batches    how many there are
-- rests       how far a class is from the leaves by what a node does not tell apart, as rest_0, rest_1, …
-- neighbours  every small class with how far one is that is near, as reach
-- classes     the classes
--
-- One row per class.
select
    *,
    {rests}
from {classes}
join {neighbours} using (id)
where id % $batches = $batch

-- section: near
-- The blocks of a node that may hold a seeker's nearest class.
--
-- bounded  search/kaca/bounded
--
-- One row per seeker and block.
select
    id,
    block
from (
    {bounded}
)
where bound < reach
