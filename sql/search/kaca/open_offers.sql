-- The offers between classes that no accepted merger touches.
--
-- offers   the offers before
-- touched  search/kaca/touched of what was accepted
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
