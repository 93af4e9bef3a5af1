-- The seekers, each with the distance of a class that is near: the nearest is no farther.
--
-- seekers   the seekers
-- bounded   search/kaca/bounded of the classes that search/kaca/beam leads to
-- farthest  the distance of any two classes, at most
--
-- One row per seeker.
select
    seeker.*,
    coalesce(near.reach, {farthest}) as reach
from {seekers} as seeker
left join (
    select
        id,
        min(bound) as reach
    from (
        {bounded}
    )
    where block <> id
    group by id
) as near using (id)
