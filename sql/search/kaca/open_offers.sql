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
