-- The offer of each seeker: its nearest class, or that class's stub (Definition 14), in random order.
--
-- $seed    the seed
-- $round   the number of the round
-- whole    #whole, or #always if no class is split
-- k        the smallest allowed class
-- nearest  search/kaca/nearest
-- classes  the classes
--
-- One row per seeker: taken rows of its partner go with it, or all of them if it is whole.
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
-- True if a seeker takes its nearest class whole, not a stub of it: the rest would not be two classes of the size
-- (Definition 14).
--
-- k  the smallest allowed class
seeker.frequency + other.frequency - {k} < {k}

-- section: open
-- The offers between classes untouched by accepted mergers.
--
-- offers   the offers before
-- touched  #touched of the accepted mergers
--
-- One row per offer.
select offer.*
from {offers} as offer
anti join (
    {touched}
) as touched
    on touched.class = offer.id
anti join (
    {touched}
) as met
    on met.class = offer.partner

-- section: touched
-- The classes touched by offers.
--
-- offers  the offers
--
-- Two rows per offer.
select id as class from {offers}
union all
select partner from {offers}
