-- The offer of each seeker (small class): to be merged with its nearest class (partner), with all of the partner's rows
-- or with a stub (Definition 14). The offers have a random rank.
--
-- $seed    the seed
-- $round   the number of the round
-- whole    #whole, or #always if no class is split
-- k        the smallest allowed number of rows of a class
-- nearest  search/kaca/nearest
-- classes  the equivalence classes so far
--
-- One row per seeker. taken is the number of the partner's rows to merge; whole is true for all of them.
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
-- Always merge all rows of the partner.
true

-- section: whole
-- True if a seeker is merged with all rows of its nearest class, not with a stub: both have fewer than 2k rows
-- together, so that the rest of the class would have fewer than k (Definition 14).
--
-- k  the smallest allowed number of rows of a class
seeker.frequency + other.frequency - {k} < {k}

-- section: open
-- The offers between classes that are in no accepted merger.
--
-- offers   the offers not yet accepted or dropped
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
-- The classes in offers: the seeker and the partner of each offer.
--
-- offers  the offers of the seekers (search/kaca/offers)
--
-- Two rows per offer.
select id as class from {offers}
union all
select partner from {offers}
