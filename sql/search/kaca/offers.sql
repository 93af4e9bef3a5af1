-- What each seeker asks for: its nearest class, or that class's stub (Definition 14), in random order.
--
-- $seed    the seed
-- $round   the number of the round
-- whole    #whole, or #always where no class is split
-- k        the smallest allowed class
-- nearest  search/kaca/nearest
-- classes  the classes
--
-- One row per seeker: taken rows of its partner go with it, all of them where it is whole.
select
    nearest.id,
    nearest.partner,
    nearest.distance,
    row_number() over (order by hash($seed, $round, nearest.id), nearest.id) as rank,
    seeker.frequency,
    other.frequency as other_frequency,
    {whole} as whole,
    case when whole then other.frequency else {k} - seeker.frequency end as taken
from {nearest} as nearest
join {classes} as seeker
    on seeker.id = nearest.id
join {classes} as other
    on other.id = nearest.partner

-- section: always
-- In any case.
true

-- section: whole
-- Whether a seeker takes its nearest class whole, not a stub of it: two classes of the size would not be left
-- (Definition 14).
--
-- k  the smallest allowed class
seeker.frequency + other.frequency - {k} < {k}
