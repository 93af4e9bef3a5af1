-- The class near to each seeker that its neighbours showed.
--
-- neighbours  what they did
--
-- One row per seeker.
select
    id,
    reach as distance,
    partner
from {neighbours}

-- section: nearer
-- The class nearest to each seeker: one that was found to be nearer than its neighbours showed, or what these did.
--
-- neighbours  what they showed
-- nearer      search/kaca/nearest of what is nearer
--
-- One row per seeker.
select
    id,
    coalesce(nearer.distance, met.reach) as distance,
    coalesce(nearer.partner, met.partner) as partner
from {neighbours} as met
left join {nearer} as nearer using (id)
