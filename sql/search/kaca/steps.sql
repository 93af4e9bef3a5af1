-- What the next steps ask for, in their order.
--
-- offers  search/kaca/offers of the classes that they choose
-- chosen  search/kaca/chosen
--
-- One row per step.
select offer.* replace (chosen.step as rank)
from (
    {offers}
) as offer
join {chosen} as chosen using (id)
