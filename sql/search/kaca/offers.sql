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

-- section: open
-- The offers between classes that no accepted merger touches.
--
-- offers   the offers before
-- touched  #touched of what was accepted
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
-- The classes that offers touch.
--
-- offers  the offers
--
-- Two rows per offer.
select id as class from {offers}
union all
select partner from {offers}
